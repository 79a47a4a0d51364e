package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.WorkflowRecovery;
import dev.holdfast.workflow.Workflows;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to idempotency, run. */
class IdempotencyGuideIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Holdfast holdfast = Holdfast.create(schema.dataSource(4));
  private final Orders orders = new Orders();
  private final Accounts accounts = new Accounts();
  private final Gateway gateway = new Gateway();
  private final Mailer mailer = new Mailer();
  private final Shop shop = new Shop();
  private final String customer = "ana";

  private static final class Orders {
    long create(Transaction tx, String customer, String body) throws SQLException {
      try (PreparedStatement insert =
          tx.connection()
              .prepareStatement("INSERT INTO orders (customer, body) VALUES (?, ?) RETURNING id")) {
        insert.setString(1, customer);
        insert.setString(2, body);
        try (ResultSet made = insert.executeQuery()) {
          made.next();
          return made.getLong(1);
        }
      }
    }

    void lockCustomer(Transaction tx, String customer) {
      assertThat(tx.attempt()).as(customer).isPositive();
    }

    long paid(Transaction tx, String customer, String charge) throws SQLException {
      return create(tx, customer, charge);
    }
  }

  private static final class Accounts {
    boolean covered(Transaction tx, long account, long amount) {
      return tx.attempt() > 1 || account == 0 || amount == 0;
    }

    String charge(Transaction tx, long account, long amount) {
      return "charged " + amount + " from " + account + " at attempt " + tx.attempt();
    }
  }

  private static final class Gateway {
    final List<String> charged = new ArrayList<>();

    String charge(long amount, String key) {
      charged.add(key);
      return "charge of " + amount;
    }
  }

  private static final class Mailer {
    boolean works = true;

    String send(String to, String about) {
      if (!works) {
        throw new IllegalStateException("no mail today");
      }
      return "mailed " + to + " about the " + about;
    }
  }

  private final class Shop {
    String checkout(String basket, StepContext steps) {
      return steps.step("mail", Codec.text(), () -> mailer.send("ana", basket));
    }
  }

  private record Receipt(long order, String customer) {}

  @BeforeEach
  void create() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(
        "CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY, customer text, body text)");
  }

  @AfterEach
  void close() {
    schema.close();
  }

  private long count() {
    return (Long) schema.query("SELECT count(*) AS n FROM orders").get(0).get("n");
  }

  private String post(String key, String body) throws SQLException {
    IdempotencyResult<Long> result =
        holdfast
            .idempotency()
            .execute(
                IdempotencyRequest.of("POST /orders", key, Long.class)
                    .principal(customer)
                    .fingerprint(body),
                tx -> orders.create(tx, customer, body));
    if (result instanceof IdempotencyResult.Executed<Long> executed) {
      return created(executed.value());
    } else if (result instanceof IdempotencyResult.Replayed<Long> replayed) {
      return created(replayed.value());
    } else if (result instanceof IdempotencyResult.InProgress<Long> progress) {
      return tryAgainAfter(progress.retryAfter());
    } else {
      return keyReused();
    }
  }

  private static String created(long id) {
    return "201 " + id;
  }

  private static String tryAgainAfter(Duration time) {
    return "409 " + time;
  }

  private static String keyReused() {
    return "422";
  }

  @Test
  void anOrderThatIsPostedTwiceIsPlacedOnce() throws SQLException {
    assertThat(post("k1", "2 apples")).isEqualTo("201 1");
    assertThat(post("k1", "2 apples")).isEqualTo("201 1");
    assertThat(post("k1", "3 apples")).isEqualTo("422");
    assertThat(count()).isOne();
  }

  @Test
  void aRefusalIsGivenAgain() {
    IdempotencyRequest<String> request = IdempotencyRequest.of("charge", "k2", String.class);
    for (boolean again : new boolean[] {false, true}) {
      assertThatThrownBy(
              () ->
                  holdfast
                      .idempotency()
                      .execute(
                          request,
                          tx -> {
                            if (!accounts.covered(tx, 42, 100)) {
                              throw new RejectedException("not covered");
                            }
                            return accounts.charge(tx, 42, 100);
                          }))
          .isInstanceOfSatisfying(
              RejectedException.class,
              refused -> {
                assertThat(refused.text()).isEqualTo("not covered");
                assertThat(refused.isReplayed()).isEqualTo(again);
              });
    }
  }

  @Test
  void aTransactionOfYoursHasTheRecordInIt() throws SQLException {
    IdempotencyRequest<Long> request = IdempotencyRequest.of("POST /orders", "k3", Long.class);
    String body = "1 pear";
    for (int time = 0; time < 2; time++) {
      holdfast
          .transactions()
          .retrying(3)
          .run(
              tx -> {
                orders.lockCustomer(tx, customer);
                holdfast
                    .idempotency()
                    .execute(tx, request, inner -> orders.create(inner, customer, body))
                    .orElseThrow();
              });
    }
    assertThat(count()).isOne();
  }

  @Test
  void aPaymentGoesOnFromItsLastStep() throws SQLException {
    IdempotencyRequest<String> request = IdempotencyRequest.of("pay", "k4", String.class);
    mailer.works = false;
    assertThatThrownBy(() -> pay(request)).hasMessage("no mail today");
    mailer.works = true;
    assertThat(pay(request).orElseThrow()).isEqualTo("mailed ana about the charge of 100");
    assertThat(pay(request)).isInstanceOf(IdempotencyResult.Replayed.class);
    assertThat(gateway.charged).hasSize(1);
    assertThat(count()).isOne();
  }

  private IdempotencyResult<String> pay(IdempotencyRequest<String> request) throws SQLException {
    IdempotencyResult<String> receipt =
        holdfast
            .workflows()
            .run(
                request,
                steps -> {
                  String charge =
                      steps.step(
                          "charge",
                          Codec.text(),
                          () -> gateway.charge(100, steps.idempotencyKey("charge")));
                  steps.transactionalStep(
                      "order", Codec.longs(), tx -> orders.paid(tx, customer, charge));
                  return steps.step("mail", Codec.text(), () -> mailer.send(customer, charge));
                });
    return receipt;
  }

  @Test
  void aFlowCompletesItself() throws Exception {
    IdempotencyKey key = IdempotencyKey.of("checkout", "k5");
    Workflows workflows = holdfast.workflows();
    Workflow<String, String> checkout =
        Workflow.of("checkout", Codec.text(), Codec.text(), shop::checkout);
    IdempotencyResult<String> placed = workflows.run(checkout, key, "2 apples");
    assertThat(placed.orElseThrow()).isEqualTo("mailed ana about the 2 apples");
    try (WorkflowRecovery recovery = start(workflows, checkout)) {
      assertThat(recovery.recoverNow()).isZero();
    }
  }

  private static WorkflowRecovery start(Workflows workflows, Workflow<String, String> checkout) {
    WorkflowRecovery recovery = workflows.recovery(checkout);
    recovery.start();
    return recovery;
  }

  @Test
  void optionsAreBuiltOnce() {
    Holdfast holdfast =
        Holdfast.builder(schema.dataSource())
            .idempotency(
                IdempotencyOptions.builder()
                    .retention(Duration.ofDays(7))
                    .waitTimeout(Duration.ZERO)
                    .build())
            .build();
    assertThat(holdfast.idempotency().options().retention()).isEqualTo(Duration.ofDays(7));
    assertThat(holdfast.workflows().options().waitTimeout()).isZero();
  }

  @Test
  void answersCanBeJson() {
    IdempotencyRequest<Receipt> request =
        IdempotencyRequest.of("POST /orders", "k6", Receipt.class);
    Receipt receipt = new Receipt(7, "ana");
    for (int time = 0; time < 2; time++) {
      assertThat(holdfast.idempotency().execute(request, tx -> receipt).orElseThrow())
          .isEqualTo(receipt);
    }
  }
}
