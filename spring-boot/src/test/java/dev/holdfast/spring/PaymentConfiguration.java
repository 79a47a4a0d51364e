package dev.holdfast.spring;

import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.jackson.JacksonCodecs;
import dev.holdfast.servlet.RequestTransactions;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.WorkflowRecovery;
import dev.holdfast.workflow.Workflows;
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
        .exclude(request -> request.getServletPath().startsWith("/payments"));
  }

  @Bean
  Workflow<Payment, String> payments(Gateway gateway) {
    return Workflow.of(
        "payment",
        JacksonCodecs.of(Payment.class),
        Codec.text(),
        (payment, steps) -> pay(payment, steps, gateway));
  }

  private static String pay(Payment payment, StepContext steps, Gateway gateway)
      throws IOException {
    String charge =
        steps.step(
            "charge",
            Codec.text(),
            () -> {
              String answer =
                  gateway.charge(payment.card(), payment.cents(), steps.idempotencyKey("charge"));
              if (answer.equals("declined")) {
                throw new RejectedException("the card was declined");
              }
              return answer;
            });
    return steps.transactionalStep(
        "note",
        Codec.text(),
        tx -> {
          JdbcClient.create(new SingleConnectionDataSource(tx.connection(), true))
              .sql("INSERT INTO payments (charge, cents) VALUES (?, ?)")
              .params(charge, payment.cents())
              .update();
          return charge;
        });
  }

  @Bean
  WorkflowRecovery recovery(Workflows workflows, Workflow<Payment, String> payments) {
    return workflows.recovery(payments);
  }
}
