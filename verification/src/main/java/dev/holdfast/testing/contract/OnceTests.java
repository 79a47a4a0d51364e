package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.sql.Transaction;
import dev.holdfast.sql.Work;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of requests that take effect once stand on: a business table, and a key. */
abstract class OnceTests extends DatabaseContract {
  static final Duration LIMIT = Duration.ofSeconds(60);

  /** So short that a test can wait until it is over. */
  static final Duration SHORT = Duration.ofMillis(300);

  static final IdempotencyKey KEY = IdempotencyKey.of("POST /orders", "k-1");
  static final Fingerprint PAYLOAD = Fingerprint.of("two apples");
  static final Fingerprint OTHER_PAYLOAD = Fingerprint.of("two pears");

  /** With duplicates that wait longer than any test takes. */
  protected Idempotency idempotency;

  @SuppressWarnings("NullAway.Init")
  OnceTests(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  final void makeTables() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute("create table orders (item varchar(100) not null)");
    idempotency = Holdfast.create(schema.dataSource()).idempotency().waiting(LIMIT);
  }

  /** A change of the business, with an answer that no other run can have given. */
  static String order(Transaction tx, String item) {
    order(tx.connection(), item);
    return item + " as " + UUID.randomUUID();
  }

  static void order(Connection connection, String item) {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into orders (item) values (?)")) {
      insert.setString(1, item);
      insert.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  static Work<String, RuntimeException> ordering(String item) {
    return tx -> order(tx, item);
  }

  static Work<String, RuntimeException> never() {
    return tx -> {
      throw new AssertionError("must not run");
    };
  }

  /** Orders an apple under the key of the test. */
  final OnceResult<String> once(Idempotency idempotency) {
    return idempotency.once(KEY, PAYLOAD, ReplyCodecs.text(), ordering("apple"));
  }

  static OnceResult<String> once(Idempotency idempotency, Transaction tx) {
    return idempotency.once(tx, KEY, PAYLOAD, ReplyCodecs.text(), ordering("apple"));
  }

  static String executed(OnceResult<String> result) {
    assertThat(result).isInstanceOf(OnceResult.Executed.class);
    return result.orThrow();
  }

  static String replayed(OnceResult<String> result) {
    assertThat(result).isInstanceOf(OnceResult.Replayed.class);
    return result.orThrow();
  }

  final long orders() {
    return schema.count("select count(*) from orders");
  }

  final long records() {
    return schema.count("select count(*) from holdfast_idempotency");
  }

  static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }
}
