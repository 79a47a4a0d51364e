package dev.holdfast.spring;

import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.Completer;
import dev.holdfast.idempotency.Flow;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.json.JsonReplies;
import dev.holdfast.servlet.RequestTransactions;
import java.io.IOException;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;

/** The payments of the guide to idempotency: a card is charged elsewhere, and noted here. */
@Configuration(proxyBeanMethods = false)
class PaymentConfiguration {
  @Bean
  RequestTransactions transactions(PlatformTransactionManager manager, DataSource dataSource) {
    return SpringTransactions.on(manager, dataSource)
        .unless(request -> request.getServletPath().startsWith("/payments"));
  }

  @Bean
  Flow<Payment, String> payments(Gateway gateway) {
    return new Flow<>(
        "payment",
        JsonReplies.of(Payment.class),
        ReplyCodecs.text(),
        (payment, claim) -> pay(payment, claim, gateway));
  }

  private static String pay(Payment payment, Claim claim, Gateway gateway) throws IOException {
    String charge =
        claim.step(
            "charge",
            ReplyCodecs.text(),
            () -> {
              String answer =
                  gateway.charge(payment.card(), payment.cents(), claim.keyFor("charge"));
              if (answer.equals("declined")) {
                throw new RefusedException("the card was declined");
              }
              return answer;
            });
    return claim.stepInTransaction(
        "note",
        ReplyCodecs.text(),
        tx -> {
          JdbcClient.create(new SingleConnectionDataSource(tx.connection(), true))
              .sql("INSERT INTO payments (charge, cents) VALUES (?, ?)")
              .params(charge, payment.cents())
              .update();
          return charge;
        });
  }

  @Bean
  Completer completer(Idempotency idempotency, Flow<Payment, String> payments) {
    return idempotency.claims().completer(payments);
  }
}
