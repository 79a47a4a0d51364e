package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.internal.idempotency.IdempotencyStores;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.transaction.Transaction;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;

/** One attempt at a request, which asks the store what claims ask, or runs it once. */
final class RecordActor {
  /** Longer than any test. */
  static final Duration LONG = Duration.ofDays(3000);

  /** The record is old the moment that it is made. */
  static final Duration OVER = Duration.ofDays(-1);

  /** Duplicates wait so long, which is until the others are done. */
  private static final Duration LOCK_TIMEOUT = Duration.ofMinutes(10);

  private static final String ENTER =
      "update work set wrong = wrong + case when inside is not null then 1 else 0 end, inside = ?,"
          + " first = coalesce(first, ?), times = times + 1";

  private static final String LEAVE =
      "update work set wrong = wrong + case when coalesce(inside, '') <> ? then 1 else 0 end,"
          + " inside = null";

  final Holdfast holdfast;
  final TransactionalIdempotencyStore store;
  private final String who;
  private final DataSource dataSource;

  RecordActor(String who, Mutation mutation, DataSource dataSource) {
    DataSource mutated = mutation.over(who, dataSource);
    this.who = who;
    this.dataSource = dataSource;
    this.holdfast =
        Holdfast.builder(mutated)
            .idempotency(
                IdempotencyOptions.builder()
                    .waitTimeout(LOCK_TIMEOUT)
                    .leaseDuration(Duration.ofHours(1))
                    .build())
            .build();
    this.store = IdempotencyStores.of(mutated, holdfast.dialect(), null, 1);
  }

  Idempotency idempotency() {
    return holdfast.idempotency();
  }

  void write(String sql, Object... values) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      write(connection, sql, values);
    }
  }

  private static void write(Connection connection, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  void note(String what) throws SQLException {
    write("insert into notes values (?, ?)", who, what);
  }

  /** What must take effect once, as a part of a transaction; it answers who did it. */
  String order(Transaction tx) throws SQLException {
    write(tx.connection(), "insert into orders values (?)", who);
    return who;
  }

  /** A transaction that has read something sees the others as they were then, on some databases. */
  void look(Transaction tx) throws SQLException {
    try (Statement statement = tx.connection().createStatement();
        ResultSet row = statement.executeQuery("select count(*) from orders")) {
      row.next();
    }
  }

  /** Notes the answer, or why there is none. */
  void noteResult(IdempotencyResult<String> result) throws SQLException {
    if (result instanceof IdempotencyResult.KeyReused) {
      note("mismatch");
    } else if (result instanceof IdempotencyResult.InProgress) {
      note(RecordTables.BUSY);
    } else {
      note("told " + result.orElseThrow());
    }
  }

  Ownership hold() {
    return new Ownership(RecordTables.KEY, RecordTables.attempt(who));
  }

  ClaimResult claim() throws SQLException {
    return claim(RecordTables.PAYLOAD, LONG);
  }

  /** MariaDB also says that it is busy where somebody only looks at the record; that is noted. */
  ClaimResult claim(Fingerprint fingerprint, Duration retention) throws SQLException {
    ClaimResult claimed =
        store.claim(
            new ClaimRequest(
                RecordTables.KEY, fingerprint, hold().ownerId(), LONG, retention, null));
    if (holdfast.dialect().locksGaps()
        && claimed instanceof ClaimResult.InProgress busy
        && busy.leaseRemaining() == null) {
      note(RecordTables.BUSY);
    }
    return claimed;
  }

  boolean renew() {
    return store.renew(hold(), LONG);
  }

  boolean record(String step) {
    return store.record(hold(), step(step), LONG);
  }

  private Step step(String name) {
    return new Step(name, RecordTables.bytes(who));
  }

  /** Rolls back what is not recorded. */
  private static final class NotRecorded extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A step whose change is committed with its record, or not at all. */
  boolean recordOrder() throws SQLException {
    try {
      holdfast
          .transactions()
          .run(
              tx -> {
                String unused = order(tx);
                if (!store.record(tx, hold(), step("order"))) {
                  throw new NotRecorded();
                }
              });
      return true;
    } catch (NotRecorded e) {
      return false;
    }
  }

  boolean complete() {
    return complete(who);
  }

  boolean complete(String reply) {
    return store.complete(
        hold(), new StoredResult(StoredResult.Kind.RESULT, RecordTables.bytes(reply)), LONG);
  }

  /** Anybody who comes may take it at once, long before others look for it. */
  boolean release() {
    return store.release(hold(), LONG);
  }

  /** Works on the request if it gets the claim; notes the answer if there is one. */
  ClaimResult work() throws SQLException {
    ClaimResult claimed = claim();
    if (claimed instanceof ClaimResult.Granted) {
      goOn();
    } else {
      told(claimed);
    }
    return claimed;
  }

  /** Works on the request under the claim that it has. */
  void goOn() throws SQLException {
    write(ENTER, who, who);
    boolean kept = renew() && record("work");
    write(LEAVE, who);
    if (!kept || !complete()) {
      note("lost");
    }
  }

  void told(ClaimResult claimed) throws SQLException {
    if (claimed instanceof ClaimResult.Completed done) {
      note("told " + new String(done.result().bytes(), StandardCharsets.UTF_8));
    } else if (claimed instanceof ClaimResult.KeyReused) {
      note("mismatch");
    }
  }

  /** Asks once more what the answer is, and notes it. */
  void ask() throws SQLException {
    told(claim());
  }
}
