package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import dev.holdfast.event.Queues;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of events stand on: the tables, and workers that end with their test. */
public abstract class EventContract extends DatabaseContract {
  static final EventType<String> TEXT = EventType.of("text", String.class);
  static final Duration LIMIT = Duration.ofSeconds(60);

  private final List<Worker> workers = new ArrayList<>();

  Holdfast holdfast;
  Events events;
  Queues queues;

  @SuppressWarnings("NullAway.Init")
  EventContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  final void makeTables() {
    holdfast = Holdfast.builder(schema.dataSource()).shards(shards()).build();
    holdfast.migrations().migrate();
    events = holdfast.events();
    queues = holdfast.queues();
  }

  /** In how many shards the events are; another number for the same contract over several. */
  protected int shards() {
    return 1;
  }

  @AfterEach
  final void stopWorkers() {
    workers.forEach(worker -> worker.stop(Duration.ofSeconds(10)));
  }

  /** Starts a worker that looks often; it ends with the test at the latest. */
  final Worker start(UnaryOperator<Worker.Builder> handlers) {
    return start(holdfast, handlers);
  }

  final Worker start(Holdfast on, UnaryOperator<Worker.Builder> handlers) {
    Worker worker = handlers.apply(on.worker().pollInterval(Duration.ofMillis(20))).start();
    workers.add(worker);
    return worker;
  }

  final EventId schedule(Event<?> event) {
    EventScheduleResult result = events.schedule(event);
    assertThat(result).isInstanceOf(EventScheduleResult.Scheduled.class);
    return result.id();
  }

  final EventRecord found(EventId id) {
    return events.find(id).orElseThrow(() -> new AssertionError("there is no event " + id));
  }

  /** Waits until an event has this status, and answers it. */
  final EventRecord awaitStatus(EventId id, EventStatus status) {
    await(() -> found(id) + " must become " + status, () -> found(id).status() == status);
    return found(id);
  }

  static void await(java.util.function.Supplier<String> what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what.get()).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3));
    }
  }

  static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  /** What is logged meanwhile, where the log goes to the standard error. */
  static String logOf(Runnable work) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      work.run();
    } finally {
      System.setErr(before);
    }
    return log.toString(StandardCharsets.UTF_8);
  }
}
