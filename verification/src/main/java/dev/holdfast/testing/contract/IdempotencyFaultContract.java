package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What becomes of a request when its connection breaks. */
public abstract class IdempotencyFaultContract extends IdempotentExecutionTests {
  private final AtomicInteger commits = new AtomicInteger();

  protected IdempotencyFaultContract(TestDatabase database) {
    super(database);
  }

  private FaultyDataSource faulty() {
    return new FaultyDataSource(schema.dataSource());
  }

  private Idempotency on(FaultyDataSource faulty) {
    return with(Transactions.on(faulty.dataSource()));
  }

  private static void lose(Connection connection) throws SQLException {
    connection.abort(Runnable::run);
    throw FaultyDataSource.connectionLost();
  }

  @Test
  void detectsCommitWithoutResponse() {
    AtomicInteger runs = new AtomicInteger();
    Idempotency unlucky =
        on(
            faulty()
                .afterCommit(
                    connection -> {
                      if (commits.incrementAndGet() == 1) {
                        lose(connection);
                      }
                    }));

    String answer =
        executed(
            unlucky.execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                tx -> {
                  runs.incrementAndGet();
                  return order(tx, "apple");
                }));

    assertThat(runs).hasValue(1);
    assertThat(replayed(once(idempotency))).isEqualTo(answer);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void aCommitThatCameToNothingIsDoneAgain() {
    Idempotency unlucky =
        on(
            faulty()
                .beforeCommit(
                    connection -> {
                      if (commits.incrementAndGet() == 1) {
                        lose(connection);
                      }
                    }));

    String answer =
        executed(
            unlucky.execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text())
                    .fingerprint(PAYLOAD)
                    .waitTimeout(Duration.ZERO),
                ordering("apple")));

    assertThat(replayed(once(idempotency))).isEqualTo(answer);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void nextRequestDetectsUnknownCommit() {
    for (boolean happens : new boolean[] {true, false}) {
      FaultyDataSource faulty = faulty();
      if (happens) {
        // it happened, and then the database is gone
        faulty.afterCommit(
            connection -> {
              faulty.onPrepare(IdempotencyFaultContract::lose);
              lose(connection);
            });
      } else {
        faulty.beforeCommit(IdempotencyFaultContract::lose);
      }
      long before = orders();
      idempotency.delete(KEY);

      assertThatThrownBy(() -> once(on(faulty)))
          .isInstanceOf(CommitUnknownException.class)
          .satisfies(unknown -> assertThat(unknown.getSuppressed()).isNotEmpty());

      IdempotencyResult<String> next = once(idempotency);
      assertThat(next)
          .isInstanceOf(
              happens ? IdempotencyResult.Replayed.class : IdempotencyResult.Executed.class);
      assertThat(orders()).isEqualTo(before + 1);
    }
  }

  @Test
  void aCommitThatMayStillBeOnItsWayIsUnknown() throws Exception {
    try (Connection beside = schema.unpooled().getConnection()) {
      beside.setAutoCommit(false);
      // all of it goes over this connection, which outlives its loss, as a message that is late
      DataSource lost = losingCommits(beside);
      Idempotency late =
          with(
              Transactions.on(firstThen(lost, schema.dataSource())),
              o -> o.waitTimeout(Duration.ZERO));

      assertThatThrownBy(() -> once(late)).isInstanceOf(CommitUnknownException.class);

      assertThat(orders()).isZero();
      beside.commit();
      replayed(once(idempotency));
      assertThat(orders()).isEqualTo(1);
    }
  }

  /** Gives the same connection, which cannot be ended by whoever takes it, not even by a commit. */
  private static DataSource losingCommits(Connection real) {
    return JdbcProxy.of(
        DataSource.class,
        (self, method, arguments) ->
            JdbcProxy.of(
                Connection.class,
                (connection, call, with) ->
                    switch (call.getName()) {
                      case "rollback", "close", "abort", "setAutoCommit" -> null;
                      case "commit" -> throw FaultyDataSource.connectionLost();
                      case "prepareStatement" ->
                          real.prepareStatement(with[0].toString().replace("; COMMIT", ""));
                      default -> JdbcProxy.pass(call, real, with);
                    }));
  }

  private static DataSource firstThen(DataSource first, DataSource then) {
    AtomicBoolean isFirst = new AtomicBoolean(true);
    return JdbcProxy.of(
        DataSource.class,
        (self, method, arguments) ->
            JdbcProxy.pass(method, isFirst.getAndSet(false) ? first : then, arguments));
  }

  @Test
  void detectsRejectionWithoutResponse() {
    Idempotency unlucky =
        on(
            faulty()
                .afterCommit(
                    connection -> {
                      if (commits.incrementAndGet() == 1) {
                        lose(connection);
                      }
                    }));

    assertThatThrownBy(
            () ->
                unlucky.execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> {
                      order(tx, "apple");
                      throw new RejectedException("no");
                    }))
        .isInstanceOfSatisfying(
            RejectedException.class, refused -> assertThat(refused.isReplayed()).isFalse());
    assertThat(orders()).isZero();
    assertThatThrownBy(() -> once(idempotency)).isInstanceOf(RejectedException.class);
  }

  @Test
  void connectionLossAtAnyStatementIsSafe() {
    boolean reached = true;
    for (int at = 1; reached; at++) {
      AtomicInteger statements = new AtomicInteger();
      int fatal = at;
      FaultyDataSource faulty =
          faulty()
              .onPrepare(
                  connection -> {
                    if (statements.incrementAndGet() == fatal) {
                      lose(connection);
                    }
                  });
      idempotency.delete(KEY);
      long before = orders();
      String answer = null;
      try {
        answer = once(on(faulty)).orElseThrow();
      } catch (HoldfastException | IllegalStateException e) {
        assertThat(e).isNotNull();
      }
      reached = statements.get() >= fatal;

      assertThat(orders()).as("at %s", fatal).isEqualTo(before + records());
      IdempotencyResult<String> next = once(idempotency);
      if (answer != null) {
        assertThat(replayed(next)).as("at %s", fatal).isEqualTo(answer);
      }
      assertThat(orders()).as("at %s", fatal).isEqualTo(before + 1);
      assertThat(fatal).isLessThan(20);
    }
  }

  @Test
  void aSessionThatDiesFreesItsKeyAtOnce() throws Exception {
    ServerProbe server = ServerProbe.of(database());
    String[] session = new String[1];
    try (InProgressRequest<IdempotencyResult<String>> first =
            InProgressRequest.held(
                work ->
                    idempotency.<String, SQLException>execute(
                        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        tx -> {
                          session[0] = Sql.ask(tx.connection(), server.session);
                          return work.order(tx, "apple");
                        }));
        InProgressRequest<IdempotencyResult<String>> second =
            InProgressRequest.waiting(() -> once(idempotency));
        Connection beside = schema.unpooled().getConnection()) {
      server.kill(beside, session[0]);

      String answer = executed(second.end());
      // it fails, or asks what became of it and is told
      try {
        assertThat(replayed(first.end())).isEqualTo(answer);
      } catch (ExecutionException e) {
        assertThat(e).hasCauseInstanceOf(HoldfastException.class);
      }
      // the pool may give the dead one once more
      Idempotency fresh = Holdfast.create(schema.dataSource(1)).idempotency();
      assertThat(replayed(once(fresh))).isEqualTo(answer);
    }
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void missingRecordPreventsCommit() {
    assertThatThrownBy(
            () ->
                idempotency.<String, SQLException>execute(
                    IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                    tx -> {
                      String answer = order(tx, "apple");
                      try (Statement statement = tx.connection().createStatement()) {
                        statement.execute("delete from holdfast_idempotency");
                      }
                      return answer;
                    }))
        .isInstanceOf(IncompleteRecordException.class);

    assertThat(orders() + records()).isZero();
    executed(once(idempotency));
  }

  @Test
  void recentResultIsReplayedWithoutInsert() {
    FaultyDataSource faulty = new FaultyDataSource(schema.dataSource());
    Idempotency withoutInsertions = with(Transactions.on(faulty.dataSource()));
    String answer = executed(once(withoutInsertions));
    faulty.onPrepare(
        sql -> sql.contains("INSERT INTO"),
        connection -> {
          throw FaultyDataSource.connectionLost();
        });

    assertThat(replayed(once(withoutInsertions))).isEqualTo(answer);
    assertThat(
            withoutInsertions.execute(
                IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(OTHER_PAYLOAD), never()))
        .isInstanceOf(IdempotencyResult.KeyReused.class);

    idempotency.delete(KEY);
    assertThatThrownBy(() -> once(withoutInsertions)).isInstanceOf(DatabaseException.class);
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void doesNotConfuseResultsOfOtherInstances() {
    executed(once(idempotency));
    try (TestSchema other = database().newSchema()) {
      Holdfast.create(other.dataSource()).migrations().migrate();
      other.execute("create table orders (item varchar(100) not null)");

      executed(once(with(Transactions.on(other.dataSource()))));

      assertThat(other.count("select count(*) from orders")).isEqualTo(1);
    }
  }
}
