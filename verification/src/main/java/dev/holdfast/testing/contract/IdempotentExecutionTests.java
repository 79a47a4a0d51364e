package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.internal.codec.CodecFactories;
import dev.holdfast.internal.idempotency.DefaultIdempotency;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of requests that take effect once stand on: a business table, and a key. */
abstract class IdempotentExecutionTests extends DatabaseContract {
  static final Duration LIMIT = Duration.ofSeconds(60);

  /** So short that a test can wait until it is over. */
  static final Duration SHORT = Duration.ofMillis(300);

  static final IdempotencyKey KEY = IdempotencyKey.of("POST /orders", "k-1");
  static final Fingerprint PAYLOAD = Fingerprint.of("two apples");
  static final Fingerprint OTHER_PAYLOAD = Fingerprint.of("two pears");

  /** With duplicates that wait longer than any test takes. */
  protected Idempotency idempotency;

  @SuppressWarnings("NullAway.Init")
  IdempotentExecutionTests(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  final void makeTables() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute("create table orders (item varchar(100) not null)");
    idempotency = with(o -> o);
  }

  /** As the idempotency of the tests, with changed options. */
  final Idempotency with(UnaryOperator<IdempotencyOptions.Builder> options) {
    return Holdfast.builder(schema.dataSource())
        .idempotency(options.apply(IdempotencyOptions.builder().waitTimeout(LIMIT)).build())
        .build()
        .idempotency();
  }

  /** As the idempotency of the tests, in these transactions. */
  final Idempotency with(Transactions transactions) {
    return with(transactions, o -> o);
  }

  /** As the idempotency of the tests, in these transactions and with changed options. */
  final Idempotency with(
      Transactions transactions, UnaryOperator<IdempotencyOptions.Builder> options) {
    return new DefaultIdempotency(
        transactions,
        SqlIdempotencyStore.create(
            schema.dataSource(), Holdfast.create(schema.dataSource()).dialect(), null, 1),
        options.apply(IdempotencyOptions.builder().waitTimeout(LIMIT)).build(),
        CodecFactories.of(null));
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

  static TransactionCallback<String, RuntimeException> ordering(String item) {
    return tx -> order(tx, item);
  }

  static TransactionCallback<String, RuntimeException> never() {
    return tx -> {
      throw new AssertionError("must not run");
    };
  }

  /** Orders an apple under the key of the test. */
  final IdempotencyResult<String> once(Idempotency idempotency) {
    return idempotency.execute(
        IdempotencyRequest.of(KEY, Codec.text()).fingerprint(PAYLOAD), ordering("apple"));
  }

  static IdempotencyResult<String> once(Idempotency idempotency, Transaction tx) {
    return idempotency.execute(
        tx, IdempotencyRequest.of(KEY, Codec.text()).fingerprint(PAYLOAD), ordering("apple"));
  }

  static String executed(IdempotencyResult<String> result) {
    assertThat(result).isInstanceOf(IdempotencyResult.Executed.class);
    return result.orElseThrow();
  }

  static String replayed(IdempotencyResult<String> result) {
    assertThat(result).isInstanceOf(IdempotencyResult.Replayed.class);
    return result.orElseThrow();
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
