package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventType;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Queues;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.workflow.Workflows;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nothing is decided by the count of rows of an insert: a distributed engine may answer 1 for an
 * insert that inserted nothing, as Citus does for {@code INSERT … SELECT … ON CONFLICT DO NOTHING}.
 */
class WrongRowCountsIT {
  private static final IdempotencyKey KEY = IdempotencyKey.of("POST /orders", "k-1");
  private static final Fingerprint PAYLOAD = Fingerprint.of("two apples");
  private static final EventType<String> GREET = EventType.of("greet", String.class);

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final AtomicInteger runs = new AtomicInteger();
  private Holdfast holdfast;

  @SuppressWarnings("NullAway.Init")
  WrongRowCountsIT() {}

  @BeforeEach
  void migrate() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    holdfast = Holdfast.create(insertsCountOne(schema.dataSource()));
  }

  @AfterEach
  void drop() {
    schema.close();
  }

  @Test
  void aClaimIsGrantedToOne() {
    ConcurrentActors.run(
            6,
            index ->
                holdfast
                    .workflows()
                    .run(
                        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                        claim -> "run " + runs.incrementAndGet())
                    .orElseThrow())
        .resultsOrThrow()
        .forEach(answer -> assertThat(answer).isEqualTo("run 1"));

    assertThat(runs).hasValue(1);
  }

  @Test
  void aClaimThatIsHeldIsNotGranted() {
    Workflows workflows = holdfast.workflows();
    workflows.run(
        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
        claim -> {
          assertThat(
                  workflows.run(
                      IdempotencyRequest.of(KEY, ReplyCodecs.text())
                          .fingerprint(PAYLOAD)
                          .waitTimeout(Duration.ZERO),
                      second -> "twice"))
              .isInstanceOf(IdempotencyResult.InProgress.class);
          return "once";
        });
  }

  @Test
  void onceRunsTheWorkOnce() {
    for (int i = 0; i < 3; i++) {
      Holdfast anotherInstance = Holdfast.create(insertsCountOne(schema.dataSource()));
      assertThat(
              anotherInstance
                  .idempotency()
                  .execute(
                      IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                      tx -> "run " + runs.incrementAndGet())
                  .orElseThrow())
          .isEqualTo("run 1");
    }
    assertThat(runs).hasValue(1);
  }

  @Test
  void onceDoesNotRunBesideAnother() {
    Idempotency idempotency = holdfast.idempotency();
    idempotency.execute(
        IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
        tx -> {
          // on another thread, because it would join the transaction of this one
          assertThat(
                  CompletableFuture.supplyAsync(
                          () ->
                              idempotency.execute(
                                  IdempotencyRequest.of(KEY, ReplyCodecs.text())
                                      .fingerprint(PAYLOAD)
                                      .waitTimeout(Duration.ZERO),
                                  second -> "twice"))
                      .join())
              .isInstanceOf(IdempotencyResult.InProgress.class);
          return "once";
        });
  }

  @Test
  void aFenceRefusesAnOlderToken() {
    holdfast.transactions().run(tx -> holdfast.fence().check(tx, "file", 5));

    assertThatThrownBy(
            () -> holdfast.transactions().run(tx -> holdfast.fence().check(tx, "file", 4)))
        .isInstanceOf(StaleTokenException.class);
  }

  @Test
  void aQueueIsPaused() {
    holdfast.queues().pause("mail");
    holdfast.queues().pause("mail");

    assertThat(holdfast.queues().paused()).containsExactly("mail");
  }

  @Test
  void anEventIsCancelledOnce() {
    EventId id = holdfast.events().schedule(GREET.event("you")).id();

    assertThat(holdfast.events().cancel(id, 7, "another version"))
        .isNotInstanceOf(EventChangeResult.Applied.class);
    assertThat(holdfast.events().cancel(id, 1, "not wanted"))
        .isInstanceOf(EventChangeResult.Applied.class);
  }

  @Test
  void changesLimitSetConcurrently() {
    QueueLimit other = QueueLimit.queue("mail").maxConcurrency(1);
    QueueLimit wanted = QueueLimit.queue("mail").maxConcurrency(2);
    Holdfast late = whereAnotherIsFirst(other);

    late.queues().setLimit(wanted);

    assertThat(holdfast.queues().limits()).containsExactly(wanted);
  }

  @Test
  void doesNotReplaceLimitSetConcurrently() {
    QueueLimit other = QueueLimit.queue("mail").maxConcurrency(1);
    QueueLimit wanted = QueueLimit.queue("mail").maxConcurrency(2);
    Holdfast late = whereAnotherIsFirst(other);

    assertThat(late.queues().replaceLimits(List.of(), List.of(wanted)))
        .isEqualTo(Queues.LimitResult.CONFLICT);
    assertThat(holdfast.queues().limits()).containsExactly(other);
  }

  /** Another session sets this limit right before the insert of the next one. */
  private Holdfast whereAnotherIsFirst(QueueLimit limit) {
    AtomicBoolean first = new AtomicBoolean(true);
    DataSource watched =
        InterceptingDataSource.of(
            schema.dataSource(),
            (connection, sql) -> {
              if (sql.startsWith("INSERT INTO holdfast_limit") && first.getAndSet(false)) {
                holdfast.queues().setLimit(limit);
              }
            });
    return Holdfast.create(insertsCountOne(watched));
  }

  /** As the given one, but no insert has a count of rows below 1. */
  private static DataSource insertsCountOne(DataSource real) {
    return proxy(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object answer = pass(real, method, arguments);
          return answer instanceof Connection connection ? insertsCountOne(connection) : answer;
        });
  }

  private static Connection insertsCountOne(Connection real) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          Object answer = pass(real, method, arguments);
          return answer instanceof PreparedStatement statement
                  && arguments != null
                  && String.valueOf(arguments[0]).contains("INSERT INTO")
              ? countsOne(statement)
              : answer;
        });
  }

  private static PreparedStatement countsOne(PreparedStatement real) {
    return proxy(
        PreparedStatement.class,
        (proxy, method, arguments) -> {
          Object answer = pass(real, method, arguments);
          boolean counts = method.getName().matches("executeUpdate|getUpdateCount");
          return counts && Integer.valueOf(0).equals(answer) ? 1 : answer;
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            WrongRowCountsIT.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @SuppressWarnings("NullAway") // reflection passes null for no arguments
  private static @Nullable Object pass(
      Object real, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
