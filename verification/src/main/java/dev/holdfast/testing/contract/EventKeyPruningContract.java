package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Forgetting keys never takes one from an event that has just got it. */
public abstract class EventKeyPruningContract extends EventContract {
  protected EventKeyPruningContract(TestDatabase database) {
    super(database);
  }

  /** A key whose event was forgotten. */
  private void addKey(String key, long id) {
    schema.execute(
        "insert into holdfast_event_key (shard, event_key, id, fingerprint, created_at) values (0,"
            + " '"
            + key
            + "', "
            + id
            + ", 'none', timestamp '2020-01-01 00:00:00')");
  }

  private boolean hasKey(String key) {
    return schema.count("select count(*) from holdfast_event_key where event_key = '" + key + "'")
        == 1;
  }

  @Test
  void keepsKeyReusedConcurrently() throws Exception {
    addKey("k", 900_000_001);
    addKey("sign", 900_000_002);
    CountDownLatch looked = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains("holdfast_event_key") && sql.contains("SKIP LOCKED"),
                connection -> {
                  looked.countDown();
                  await(go);
                });
    start(
        Holdfast.create(faulty.dataSource()),
        worker -> worker.queues(Map.of("other", 1)).handle(TEXT, (payload, context) -> {}));
    await(looked);
    EventId id = schedule(TEXT.event("a").key("k"));
    go.countDown();
    await(() -> "the other key must be forgotten", () -> !hasKey("sign"));
    assertThat(events.schedule(TEXT.event("b").key("k")).id()).isEqualTo(id);
  }

  @Test
  void doesNotWaitForKeyBeingCreated() throws Exception {
    addKey("k", 900_000_001);
    addKey("sign", 900_000_002);
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);
      EventId id = events.schedule(Transaction.of(connection), TEXT.event("a").key("k")).id();
      start(worker -> worker.queues(Map.of("other", 1)).handle(TEXT, (payload, context) -> {}));
      await(() -> "the other key must be forgotten", () -> !hasKey("sign"));
      connection.commit();
      assertThat(events.schedule(TEXT.event("b").key("k")).id()).isEqualTo(id);
    }
  }

  @Test
  void concurrentReuseOfPrunedKeySchedulesOnce() throws SQLException {
    EventStore store = store();
    for (int round = 0; round < 40; round++) {
      String key = "k" + round;
      addKey(key, 900_000_000 + round);
      List<Callable<Boolean>> actors = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        actors.add(
            () ->
                events.schedule(TEXT.event("a").key(key)) instanceof EventScheduleResult.Scheduled);
        actors.add(() -> sweep(store));
      }
      assertThat(ConcurrentActors.run(actors).resultsOrThrow())
          .as("round %d", round)
          .filteredOn(scheduled -> scheduled)
          .hasSize(1);
      assertThat(events.schedule(TEXT.event("b").key(key)))
          .isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
    }
  }

  private EventStore store() throws SQLException {
    try (Connection connection = schema.unpooled().getConnection()) {
      return EventStores.of(Dialect.of(connection), "");
    }
  }

  private boolean sweep(EventStore store) throws SQLException {
    return transactions
        .isolation(Isolation.READ_COMMITTED)
        .<Boolean, SQLException>call(
            tx -> {
              store.forgetKeys(tx.connection(), 0, "", Duration.ofDays(1), 500);
              return false;
            });
  }
}
