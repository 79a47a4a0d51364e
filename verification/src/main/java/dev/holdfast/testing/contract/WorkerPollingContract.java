package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** When a worker looks for events: neither all the time, nor too late, nor only for some. */
public abstract class WorkerPollingContract extends EventContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final EventType<String> URGENT = EventType.of("urgent", String.class);

  protected WorkerPollingContract(TestDatabase database) {
    super(database);
  }

  @Test
  void pausedQueueIsNotPolled() {
    queues.pause("default");
    AtomicLong lastLook = new AtomicLong(System.nanoTime());
    AtomicInteger looks = new AtomicInteger();
    Holdfast watched =
        Holdfast.create(
            InterceptingDataSource.of(
                schema.dataSource(),
                (connection, sql) -> {
                  if (sql.contains("due_at")) {
                    looks.incrementAndGet();
                    lastLook.set(System.nanoTime());
                  }
                }));
    start(
        watched,
        worker ->
            worker.leaseDuration(HOUR).pollInterval(HOUR).handle(TEXT, (payload, context) -> {}));
    await(() -> "it must look", () -> looks.get() > 0);
    EventId id = schedule(TEXT.event("comes due while it is paused"));
    // many times as long as it would wait for further events
    long quiet = TimeUnit.MILLISECONDS.toNanos(400);
    await(() -> "it must rest", () -> System.nanoTime() - lastLook.get() > quiet);
    assertThat(found(id).status()).isEqualTo(EventStatus.PENDING);
  }

  /** Nothing but the end of the one before makes the worker look. */
  @Test
  void everyKeyGoesOnWhenManyAreFreedAtOnce() throws InterruptedException {
    int keys = 250;
    CountDownLatch all = new CountDownLatch(keys);
    events.scheduleAll(
        IntStream.range(0, keys).mapToObj(i -> TEXT.event("" + i).orderingKey("" + i)).toList());
    EventId next = schedule(URGENT.event("next").orderingKey("7"));
    start(
        worker ->
            worker
                .leaseDuration(HOUR)
                .pollInterval(HOUR)
                .queue("default", keys)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      all.countDown();
                      await(all);
                    })
                .handle(URGENT, (payload, context) -> {}));
    awaitStatus(next, EventStatus.COMPLETED);
  }

  @Test
  void backlogDoesNotDelayUrgentEvents() {
    int keys = 20;
    int ofEach = 150;
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger before = new AtomicInteger();
    events.scheduleAll(
        IntStream.range(0, keys * ofEach)
            .mapToObj(i -> TEXT.event("" + i).orderingKey("" + i % keys).priority(1))
            .toList());
    start(
        worker ->
            worker
                .leaseDuration(HOUR)
                .queue("default", 4)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
                      handled.incrementAndGet();
                    })
                .handle(URGENT, (payload, context) -> before.set(handled.get())));
    await(() -> "it must be under way", () -> handled.get() > 4 * keys);
    EventId urgent = schedule(URGENT.event("urgent").priority(9));
    awaitStatus(urgent, EventStatus.COMPLETED);
    assertThat(before).hasValueLessThan(keys * ofEach / 2);
  }

  @Test
  void aKeyGoesOnAfterAFailedClaimOfItsNext() {
    int events = 5;
    AtomicInteger failures = new AtomicInteger();
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains("position_at") && !sql.contains("priority = "),
                connection -> {
                  if (failures.incrementAndGet() == 1) {
                    throw new SQLException("cut", "08006");
                  }
                });
    EventId last = schedule(TEXT.event("0").orderingKey("key"));
    for (int i = 1; i < events; i++) {
      last = schedule(TEXT.event("" + i).orderingKey("key"));
    }
    start(
        Holdfast.create(faulty.dataSource()),
        worker ->
            worker.leaseDuration(HOUR).pollInterval(HOUR).handle(TEXT, (payload, context) -> {}));
    awaitStatus(last, EventStatus.COMPLETED);
    assertThat(failures).hasValueGreaterThan(1);
  }

  @Test
  void aRateGoesOnAfterTheClockWentBack() {
    queues.setLimit(QueueLimit.queue("default").rateLimit(50, Duration.ofSeconds(1)));
    awaitStatus(schedule(TEXT.event("first")), handling());
    schema.execute(
        "update holdfast_limit set next_at = (select max(ended_at) from holdfast_event_history) +"
            + " interval '1' hour");
    awaitStatus(schedule(TEXT.event("second")), EventStatus.COMPLETED);
  }

  private EventStatus handling() {
    start(worker -> worker.leaseDuration(HOUR).handle(TEXT, (payload, context) -> {}));
    return EventStatus.COMPLETED;
  }

  @Test
  void workerOfAllQueuesFindsNewQueues() {
    Set<String> handled = ConcurrentHashMap.newKeySet();
    for (String queue : List.of("before", "default", "named")) {
      schedule(TEXT.event(queue).queue(queue));
    }
    start(
        holdfast,
        worker ->
            worker
                .queue("named", 1)
                .allQueues(4)
                .handle(TEXT, (payload, context) -> handled.add(payload)));
    await(() -> "those that are there", () -> handled.size() == 3);
    schedule(TEXT.event("later").queue("later").delay(Duration.ofMillis(300)));
    schedule(TEXT.event("Später").queue("s"));
    await(() -> "those that come", () -> handled.size() == 5);
  }

  @Test
  void idleAndPausedQueuesTakeNoTurn() {
    AtomicInteger handled = new AtomicInteger();
    events.scheduleAll(
        IntStream.range(0, 100).mapToObj(i -> TEXT.event("").queue("a" + i).delay(HOUR)).toList());
    events.scheduleAll(
        IntStream.range(0, 20).mapToObj(i -> TEXT.event("").queue("b" + i)).toList());
    IntStream.range(0, 20).forEach(i -> queues.pause("b" + i));
    schedule(TEXT.event("").queue("z"));
    start(
        holdfast,
        worker ->
            worker.allQueues(1).handle(TEXT, (payload, context) -> handled.incrementAndGet()));
    await(() -> "the one that is due", () -> handled.get() == 1);
  }

  @Test
  void moreQueuesThanHavePlacesTakeTurns() {
    AtomicInteger handled = new AtomicInteger();
    int queues = 110;
    events.scheduleAll(
        IntStream.range(0, queues).mapToObj(i -> TEXT.event("").queue("a" + i)).toList());
    start(
        holdfast,
        worker ->
            worker
                .leaseDuration(Duration.ofSeconds(1))
                .pollInterval(Duration.ofMillis(500))
                .allQueues(1)
                .handle(TEXT, (payload, context) -> handled.incrementAndGet()));
    await(() -> "all of them", () -> handled.get() == queues);
  }

  @Test
  void emptyQueueIsLeftAndFoundAgain() {
    AtomicInteger handled = new AtomicInteger();
    String queue = "passing-" + System.nanoTime();
    schedule(TEXT.event("first").queue(queue));
    start(
        holdfast,
        worker ->
            worker
                .leaseDuration(Duration.ofSeconds(1))
                .pollInterval(Duration.ofMillis(50))
                .allQueues(2)
                .handle(TEXT, (payload, context) -> handled.incrementAndGet()));
    await(() -> "the first", () -> handled.get() == 1);
    assertThat(isWorkedOn(queue)).isTrue();
    await(() -> "it must be left", () -> !isWorkedOn(queue));
    schedule(TEXT.event("second").queue(queue));
    await(() -> "the second", () -> handled.get() == 2);
  }

  /** By its claimer's thread. */
  private static boolean isWorkedOn(String queue) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("holdfast-claim-" + queue));
  }
}
