package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How much is done at once, and how often, by all workers together. */
public abstract class LimitsContract extends EventContract {
  private static final EventType<String> OTHER = EventType.of("other", String.class);
  private static final Duration LEASE = Duration.ofSeconds(4);

  private final Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
  private final Map<String, AtomicInteger> peaks = new ConcurrentHashMap<>();

  protected LimitsContract(TestDatabase database) {
    super(database);
  }

  private long live() {
    return schema.count("select count(*) from holdfast_event");
  }

  private long claimed() {
    return schema.count("select count(*) from holdfast_event where status = 1");
  }

  /** Counts how many run at once under a name, for a short moment each. */
  private void run(String name) {
    int now = running.computeIfAbsent(name, ignored -> new AtomicInteger()).incrementAndGet();
    peaks
        .computeIfAbsent(name, ignored -> new AtomicInteger())
        .accumulateAndGet(now, (one, other) -> Math.max(one, other));
    LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(500));
    running.get(name).decrementAndGet();
  }

  private int peak(String name) {
    return peaks.getOrDefault(name, new AtomicInteger()).get();
  }

  private List<Worker> startThree(EventHandler.Simple<String> handler) {
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      workers.add(
          start(
              worker -> worker.leaseDuration(LEASE).handle(TEXT, handler).handle(OTHER, handler)));
    }
    return workers;
  }

  private void scheduleMany(int count) {
    events.scheduleAll(IntStream.range(0, count).mapToObj(i -> TEXT.event("" + i)).toList());
  }

  @Test
  void limitsAreSetChangedAndRemoved() {
    assertThat(queues.limits()).isEmpty();
    QueueLimit queue =
        QueueLimit.queue("mail").maxConcurrency(10).rateLimit(100, Duration.ofMinutes(1));
    queues.setLimit(QueueLimit.queue("mail").maxConcurrency(3));
    queues.setLimit(queue);
    queues.setLimit(queue);
    queues.setLimit(QueueLimit.type(TEXT).maxConcurrency(2));
    queues.setLimit(QueueLimit.perKey("mail").maxConcurrency(1));
    assertThat(queues.limits())
        .containsExactly(
            QueueLimit.perKey("mail").maxConcurrency(1),
            queue,
            QueueLimit.type(TEXT).maxConcurrency(2));
    queues.removeLimit(QueueLimit.Target.queue("mail"));
    queues.removeLimit(QueueLimit.Target.queue("mail"));
    assertThat(queues.limits())
        .containsExactly(
            QueueLimit.perKey("mail").maxConcurrency(1), QueueLimit.type(TEXT).maxConcurrency(2));
  }

  @Test
  void aLimitThatIsNoneIsRefused() {
    assertThatThrownBy(() -> queues.setLimit(QueueLimit.queue("mail")))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("maxConcurrency");
    assertThatThrownBy(() -> QueueLimit.queue("mail").maxConcurrency(0))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("pause");
    assertThatThrownBy(() -> QueueLimit.queue("mail").rateLimit(0, Duration.ofSeconds(1)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("pause");
    assertThatThrownBy(() -> QueueLimit.queue("mail").rateLimit(1, Duration.ZERO))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("period");
    assertThatThrownBy(() -> QueueLimit.type(TEXT).rateLimit(1, Duration.ofSeconds(1)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("queue");
    assertThatThrownBy(() -> QueueLimit.perKey("no queue").maxConcurrency(1))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("queue");
    assertThat(queues.limits()).isEmpty();
  }

  @Test
  void eventShowsConcurrencyKey() {
    EventId id = schedule(TEXT.event("a").concurrencyKey("customer 1").key("k").at(far()));
    assertThat(found(id).concurrencyKey()).isEqualTo("customer 1");
    EventId many = schedule(TEXT.event("a").concurrencyKey("customer 2").at(far()));
    assertThat(found(many).concurrencyKey()).isEqualTo("customer 2");
    assertThat(found(schedule(TEXT.event("a").at(far()))).concurrencyKey()).isNull();
  }

  private static java.time.Instant far() {
    return java.time.Instant.parse("2100-01-01T00:00:00Z");
  }

  @Test
  void aQueueNeverRunsMoreThanItsLimit() {
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(3));
    scheduleMany(300);
    AtomicInteger stored = new AtomicInteger();
    startThree((payload, context) -> run("all"));
    await(
        () -> live() + " must have ended",
        () -> {
          stored.accumulateAndGet((int) claimed(), (one, other) -> Math.max(one, other));
          return live() == 0;
        });
    assertThat(peak("all")).isBetween(1, 3);
    assertThat(stored).hasValueBetween(0, 3);
  }

  @Test
  void aLimitIsUsedUp() throws Exception {
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(5));
    scheduleMany(20);
    CountDownLatch begun = new CountDownLatch(5);
    CountDownLatch go = new CountDownLatch(1);
    startThree(
        (payload, context) -> {
          begun.countDown();
          await(go);
        });
    await(begun);
    assertThat(claimed()).isEqualTo(5);
    go.countDown();
    await(() -> live() + " must have ended", () -> live() == 0);
  }

  @Test
  void limitedEventsStayAvailableToOthers() throws Exception {
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(4));
    scheduleMany(20);
    CountDownLatch begun = new CountDownLatch(4);
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < 2; i++) {
      start(
          worker ->
              worker
                  .queue("default", 2)
                  .handle(
                      TEXT,
                      (payload, context) -> {
                        begun.countDown();
                        await(go);
                      }));
    }
    await(begun);
    go.countDown();
    await(() -> live() + " must have ended", () -> live() == 0);
  }

  @Test
  void aLimitThatIsRaisedLetsMoreBegin() throws Exception {
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(1));
    scheduleMany(10);
    Semaphore begun = new Semaphore(0);
    CountDownLatch go = new CountDownLatch(1);
    startThree(
        (payload, context) -> {
          begun.release();
          await(go);
        });
    assertThat(begun.tryAcquire(1, LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(claimed()).isEqualTo(1);
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(4));
    assertThat(begun.tryAcquire(3, LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(claimed()).isEqualTo(4);
    queues.removeLimit(QueueLimit.Target.queue("default"));
    assertThat(begun.tryAcquire(6, LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    go.countDown();
    await(() -> live() + " must have ended", () -> live() == 0);
  }

  /** Says when a claim looks at a limit. */
  private Holdfast watchingLimits(Runnable looked) {
    return Holdfast.builder(
            InterceptingDataSource.of(
                schema.dataSource(),
                (connection, sql) -> {
                  if (sql.contains("holdfast_limit") && sql.contains("FOR UPDATE")) {
                    looked.run();
                  }
                }))
        .shards(shards())
        .build();
  }

  @Test
  void aWorkerThatRunsKeepsALimitThatIsNew() throws Exception {
    CountDownLatch heard = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    start(
        watchingLimits(heard::countDown),
        worker ->
            worker
                .leaseDuration(LEASE)
                .handle(
                    TEXT,
                    (payload, context) -> {
                      begun.countDown();
                      await(go);
                    })
                .handle(OTHER, (payload, context) -> {}));
    awaitStatus(schedule(OTHER.event("before")), EventStatus.COMPLETED);
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(2));
    await(heard);
    scheduleMany(10);
    await(begun);
    assertThat(claimed()).isEqualTo(2);
    go.countDown();
    await(() -> live() + " must have ended", () -> live() == 0);
  }

  @Test
  void aTypeIsLimitedAndOthersGoOn() throws Exception {
    queues.setLimit(QueueLimit.type(TEXT).maxConcurrency(2));
    events.scheduleAll(
        IntStream.range(0, 60).mapToObj(i -> TEXT.event("" + i).priority(9)).toList());
    CountDownLatch begun = new CountDownLatch(2);
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < 3; i++) {
      start(
          worker ->
              worker
                  .leaseDuration(LEASE)
                  .queue("default", 4)
                  .queue("second", 4)
                  .handle(
                      TEXT,
                      (payload, context) -> {
                        begun.countDown();
                        await(go);
                        run("text");
                      })
                  .handle(OTHER, (payload, context) -> {}));
    }
    await(begun);
    schedule(TEXT.event("in another queue").queue("second"));
    awaitStatus(schedule(OTHER.event("behind them")), EventStatus.COMPLETED);
    awaitStatus(schedule(OTHER.event("there, too").queue("second")), EventStatus.COMPLETED);
    assertThat(claimed()).isEqualTo(2);
    go.countDown();
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(peak("text")).isBetween(1, 2);
  }

  @Test
  void eachKeyIsLimitedAndOthersGoOn() throws Exception {
    queues.setLimit(QueueLimit.perKey("default").maxConcurrency(2));
    List<Event<String>> all = new ArrayList<>();
    IntStream.range(0, 50).forEach(i -> all.add(TEXT.event("first").concurrencyKey("first")));
    IntStream.range(0, 20).forEach(i -> all.add(TEXT.event("second").concurrencyKey("second")));
    events.scheduleAll(all);
    CountDownLatch begun = new CountDownLatch(4);
    CountDownLatch go = new CountDownLatch(1);
    startThree(
        (payload, context) -> {
          if (!payload.equals("none")) {
            begun.countDown();
            await(go);
            run(payload);
          }
        });
    await(begun);
    awaitStatus(schedule(TEXT.event("none")), EventStatus.COMPLETED);
    awaitStatus(
        schedule(TEXT.event("none").concurrencyKey("third").key("third")), EventStatus.COMPLETED);
    assertThat(claimed()).isEqualTo(4);
    go.countDown();
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(peak("first")).isBetween(1, 2);
    assertThat(peak("second")).isBetween(1, 2);
  }

  @Test
  void aQueueIsNotFasterThanItsRate() {
    int amount = 20;
    Duration period = Duration.ofMillis(400);
    queues.setLimit(QueueLimit.queue("default").rateLimit(amount, period));
    scheduleMany(3 * amount);
    long before = System.nanoTime();
    startThree((payload, context) -> {});
    await(() -> live() + " must have ended", () -> live() == 0);
    // the first amount at once, the others evenly
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .isGreaterThanOrEqualTo(period.multipliedBy(2));
  }

  @Test
  void exhaustedRateIsNotPolled() {
    queues.setLimit(QueueLimit.queue("default").rateLimit(1, Duration.ofDays(1)));
    scheduleMany(2);
    AtomicLong lastLook = new AtomicLong(System.nanoTime());
    start(
        watchingLimits(() -> lastLook.set(System.nanoTime())),
        worker ->
            worker
                .leaseDuration(LEASE)
                .pollInterval(Duration.ofHours(1))
                .handle(TEXT, (payload, context) -> {}));
    await(() -> "one must end", () -> live() == 1);
    // many times as long as it would wait for further events
    long quiet = TimeUnit.MILLISECONDS.toNanos(400);
    await(() -> "it must rest", () -> System.nanoTime() - lastLook.get() > quiet);
    queues.setLimit(QueueLimit.queue("default").rateLimit(1000, Duration.ofMillis(10)));
    await(() -> "the other must end", () -> live() == 0);
  }

  @Test
  void whatIsPutBackLeavesRoomForOthers() {
    queues.setLimit(QueueLimit.queue("default").maxConcurrency(1));
    AtomicInteger calls = new AtomicInteger();
    schedule(TEXT.event("snoozes").priority(9));
    EventId other = schedule(TEXT.event("other"));
    start(
        worker ->
            worker.handle(
                EventHandler.returning(
                    TEXT,
                    (payload, context) ->
                        payload.equals("snoozes") && calls.incrementAndGet() < 3
                            ? dev.holdfast.event.Outcome.snooze(Duration.ofMillis(200))
                            : dev.holdfast.event.Outcome.complete())));
    awaitStatus(other, EventStatus.COMPLETED);
    await(() -> live() + " must have ended", () -> live() == 0);
  }
}
