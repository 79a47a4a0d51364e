package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.Completer;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Flow;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.json.JsonReplies;
import dev.holdfast.sql.Transaction;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
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
    String checkout(String basket, Claim claim) {
      return claim.step("mail", ReplyCodecs.text(), () -> mailer.send("ana", basket));
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
    OnceResult<Long> result =
        holdfast
            .idempotency()
            .once(
                IdempotencyKey.of("POST /orders", key).principal(customer),
                Fingerprint.of(body),
                ReplyCodecs.number(),
                tx -> orders.create(tx, customer, body));
    if (result instanceof OnceResult.Executed<Long> executed) {
      return created(executed.reply());
    } else if (result instanceof OnceResult.Replayed<Long> replayed) {
      return created(replayed.reply());
    } else if (result instanceof OnceResult.InProgress<Long> progress) {
      return tryAgainAfter(progress.retryAfter());
    } else {
      return otherPayloadUnderThisKey();
    }
  }

  private static String created(long id) {
    return "201 " + id;
  }

  private static String tryAgainAfter(Duration time) {
    return "409 " + time;
  }

  private static String otherPayloadUnderThisKey() {
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
    IdempotencyKey key = IdempotencyKey.of("charge", "k2");
    Fingerprint fingerprint = Fingerprint.NONE;
    for (boolean again : new boolean[] {false, true}) {
      assertThatThrownBy(
              () ->
                  holdfast
                      .idempotency()
                      .once(
                          key,
                          fingerprint,
                          ReplyCodecs.text(),
                          tx -> {
                            if (!accounts.covered(tx, 42, 100)) {
                              throw new RefusedException("not covered");
                            }
                            return accounts.charge(tx, 42, 100);
                          }))
          .isInstanceOfSatisfying(
              RefusedException.class,
              refused -> {
                assertThat(refused.reply()).isEqualTo("not covered");
                assertThat(refused.replayed()).isEqualTo(again);
              });
    }
  }

  @Test
  void aTransactionOfYoursHasTheRecordInIt() throws SQLException {
    IdempotencyKey key = IdempotencyKey.of("POST /orders", "k3");
    Fingerprint fingerprint = Fingerprint.NONE;
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
                    .once(
                        tx,
                        key,
                        fingerprint,
                        ReplyCodecs.number(),
                        inner -> orders.create(inner, customer, body))
                    .orThrow();
              });
    }
    assertThat(count()).isOne();
  }

  @Test
  void aPaymentGoesOnFromItsLastStep() throws SQLException {
    IdempotencyKey key = IdempotencyKey.of("pay", "k4");
    Fingerprint fingerprint = Fingerprint.NONE;
    mailer.works = false;
    assertThatThrownBy(() -> pay(key, fingerprint)).hasMessage("no mail today");
    mailer.works = true;
    assertThat(pay(key, fingerprint).orThrow()).isEqualTo("mailed ana about the charge of 100");
    assertThat(pay(key, fingerprint)).isInstanceOf(OnceResult.Replayed.class);
    assertThat(gateway.charged).hasSize(1);
    assertThat(count()).isOne();
  }

  private OnceResult<String> pay(IdempotencyKey key, Fingerprint fingerprint) throws SQLException {
    OnceResult<String> receipt =
        holdfast
            .idempotency()
            .claims()
            .run(
                key,
                fingerprint,
                ReplyCodecs.text(),
                claim -> {
                  String charge =
                      claim.step(
                          "charge",
                          ReplyCodecs.text(),
                          () -> gateway.charge(100, claim.keyFor("charge")));
                  claim.stepInTransaction(
                      "order", ReplyCodecs.number(), tx -> orders.paid(tx, customer, charge));
                  return claim.step(
                      "mail", ReplyCodecs.text(), () -> mailer.send(customer, charge));
                });
    return receipt;
  }

  @Test
  void aFlowCompletesItself() throws Exception {
    IdempotencyKey key = IdempotencyKey.of("checkout", "k5");
    Claims claims = holdfast.idempotency().claims();
    Flow<String, String> checkout =
        new Flow<>("checkout", ReplyCodecs.text(), ReplyCodecs.text(), shop::checkout);
    OnceResult<String> placed = claims.run(checkout, key, "2 apples");
    assertThat(placed.orThrow()).isEqualTo("mailed ana about the 2 apples");
    try (Completer completer = start(claims, checkout)) {
      assertThat(completer.complete()).isZero();
    }
  }

  private static Completer start(Claims claims, Flow<String, String> checkout) {
    Completer completer = claims.completer(checkout);
    completer.start();
    return completer;
  }

  @Test
  void answersCanBeJson() {
    JsonReplies<Receipt> codec = JsonReplies.of(Receipt.class);
    IdempotencyKey key = IdempotencyKey.of("POST /orders", "k6");
    Receipt receipt = new Receipt(7, "ana");
    for (int time = 0; time < 2; time++) {
      assertThat(holdfast.idempotency().once(key, Fingerprint.NONE, codec, tx -> receipt).orThrow())
          .isEqualTo(receipt);
    }
  }
}
