package dev.holdfast.torture.work;

import dev.holdfast.event.EventContext;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventType;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.torture.history.Kind;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Handles events of all queues, fires schedules, and competes for leases and requests. */
final class WorkerNode {
  private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
  private static final String EFFECT =
      "INSERT INTO torture_effect (event_key, ordering_key) VALUES (?, ?)";

  private final Context context;
  private @Nullable Worker worker;

  WorkerNode(Context context) {
    this.context = context;
  }

  void start() {
    RetryPolicy policy =
        RetryPolicy.standard()
            .backoff(Duration.ofMillis(50), Duration.ofMillis(500))
            .attempts(100_000);
    worker =
        context
            .holdfast()
            .worker()
            .instanceName(context.process())
            .leaseDuration(context.lease())
            .queues(
                Map.of(
                    "plain",
                    4,
                    "immediate",
                    3,
                    "tx",
                    3,
                    "ordered",
                    3,
                    Types.LIMITED,
                    4,
                    Types.TICKS,
                    2))
            // its schedules are fired by a runner that looks more often
            .scheduling(false)
            .handle(
                EventHandler.of(Types.PLAIN, (key, event) -> handle("plain", key, event, 80))
                    .retry(policy))
            .handle(
                EventHandler.of(Types.IMMEDIATE, (key, event) -> handle("immediate", key, event, 0))
                    .retry(policy)
                    .completeImmediately())
            .handle(
                EventHandler.of(
                        Types.LIMITED_TYPE, (key, event) -> handle(Types.LIMITED, key, event, 30))
                    .retry(policy))
            .handle(
                EventHandler.transactional(
                        Types.TX, (key, tx, event) -> effect(Types.TX, key, null, tx, event))
                    .retry(policy))
            .handle(
                EventHandler.transactional(
                        Types.ORDERED,
                        (key, tx, event) ->
                            effect(
                                Types.ORDERED,
                                key,
                                key.substring(0, key.lastIndexOf('-')),
                                tx,
                                event))
                    .retry(policy))
            .handle(
                EventHandler.transactional(
                        Types.TICK,
                        (payload, tx, event) ->
                            effect(Types.TICK, event.key().orElseThrow(), null, tx, event))
                    .retry(policy))
            .start();
    context.holdfast().schedules().runner(Duration.ofSeconds(1)).start();
    new LeaseLoad(context).start();
    new OnceLoad(context).start(300);
  }

  private void handle(String queue, String key, EventContext event, int millis)
      throws InterruptedException {
    context.history().add(Kind.HANDLER_BEGIN, queue, key, event.version());
    try {
      Thread.sleep(millis == 0 ? 0 : ThreadLocalRandom.current().nextInt(millis / 2, millis * 2));
    } catch (InterruptedException e) {
      context.history().add(Kind.HANDLER_FAILED, queue, key, event.version(), "interrupted");
      throw e;
    }
    context
        .history()
        .add(Kind.HANDLER_END, queue, key, event.version(), event.isOwned() ? "owned" : "lost");
  }

  private void effect(
      EventType<?> type,
      String key,
      @Nullable String orderingKey,
      Transaction tx,
      EventContext event)
      throws SQLException {
    context.history().add(Kind.HANDLER_BEGIN, type.name(), key, event.version());
    try (PreparedStatement insert = tx.connection().prepareStatement(EFFECT)) {
      insert.setString(1, key);
      insert.setString(2, orderingKey);
      insert.executeUpdate();
    } catch (SQLException e) {
      context
          .history()
          .add(Kind.HANDLER_FAILED, type.name(), key, event.version(), e.getSQLState());
      throw e;
    }
    context
        .history()
        .add(
            Kind.HANDLER_END,
            type.name(),
            key,
            event.version(),
            event.isOwned() ? "owned" : "lost");
  }

  void stop() {
    Worker running = worker;
    if (running != null) {
      long start = System.nanoTime();
      boolean unused = running.stop(STOP_LIMIT);
      context
          .history()
          .add(Kind.STOPPED, STOP_LIMIT.toMillis(), (System.nanoTime() - start) / 1_000_000);
    }
  }
}
