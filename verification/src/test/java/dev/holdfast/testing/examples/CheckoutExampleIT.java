package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.WorkflowRecovery;
import dev.holdfast.workflow.Workflows;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A checkout charges a card at a gateway, notes the order and sends a mail. The gateway does not
 * answer in time, and the customer never comes back: a completer goes on, and charges nobody twice.
 */
class CheckoutExampleIT extends Shop {
  /** Another company's; charges once for a key. */
  private static final class Gateway {
    private final Map<String, String> charges = new LinkedHashMap<>();
    private boolean slow;

    String charge(String card, String key) throws IOException {
      if (card.equals("declined")) {
        return "declined";
      }
      String charge = charges.computeIfAbsent(key, unused -> "ch_" + (charges.size() + 1));
      if (slow) {
        slow = false;
        throw new SocketTimeoutException("charged, or not");
      }
      return charge;
    }
  }

  private final Gateway gateway = new Gateway();
  private final List<String> mails = new ArrayList<>();
  private final Workflow<String, String> checkout =
      new Workflow<>("checkout", ReplyCodecs.text(), ReplyCodecs.text(), this::checkout);
  private Workflows claims;

  @BeforeEach
  void open() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute("create table orders (charge varchar(20) primary key)");
    claims = holdfast.workflows();
  }

  private String checkout(String card, StepContext claim) throws Exception {
    String charge =
        claim.step(
            "charge",
            ReplyCodecs.text(),
            () -> {
              String answer = gateway.charge(card, claim.idempotencyKey("charge"));
              if (answer.equals("declined")) {
                throw new RejectedException("declined"); // nothing took effect
              }
              return answer;
            });
    claim.transactionalStep(
        "order",
        ReplyCodecs.nothing(),
        tx -> {
          try (PreparedStatement insert =
              tx.connection().prepareStatement("insert into orders values (?)")) {
            insert.setString(1, charge);
            insert.executeUpdate();
          }
          return null;
        });
    claim.step(
        "mail",
        ReplyCodecs.nothing(),
        () -> {
          mails.add(charge);
          return null;
        });
    return charge;
  }

  private IdempotencyResult<String> click(String key, String card) throws Exception {
    return claims.run(
        checkout,
        IdempotencyKey.of("POST /checkout", key).principal("ana@example.com"),
        Fingerprint.of(card),
        card);
  }

  @Test
  void chargesOnceAfterLostResponse() throws Exception {
    gateway.slow = true;
    assertThatThrownBy(() -> click("click-1", "4711")).isInstanceOf(IOException.class);

    try (WorkflowRecovery completer = claims.recovery(checkout)) {
      awaitOne(completer);
    }

    assertThat(gateway.charges).hasSize(1);
    assertThat(mails).containsExactly("ch_1");
    assertThat(schema.count("select count(*) from orders")).isEqualTo(1);
    assertThat(click("click-1", "4711")).isEqualTo(new IdempotencyResult.Replayed<>("ch_1"));
  }

  /** A flow that has failed rests for a second. */
  private static void awaitOne(WorkflowRecovery completer) {
    await().until(() -> completer.recoverNow() == 1);
  }

  @Test
  void declinedCustomerUsesNewKey() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> click("click-2", "declined")).isInstanceOf(RejectedException.class);
    }
    assertThat(click("click-3", "4711")).isEqualTo(new IdempotencyResult.Executed<>("ch_1"));
    assertThat(mails).hasSize(1);
  }
}
