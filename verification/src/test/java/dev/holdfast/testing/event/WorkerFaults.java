package dev.holdfast.testing.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Workers in processes of their own, which die or are suspended. */
abstract class WorkerFaults {
  private static final Duration LIMIT = Duration.ofSeconds(90);

  final TestSchema schema;
  final Holdfast holdfast;
  private final List<Worker> workers = new ArrayList<>();

  WorkerFaults(TestDatabase database) {
    schema = database.newSchema();
    holdfast = prepared(schema);
  }

  private static Holdfast prepared(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    return Holdfast.create(schema.dataSource());
  }

  @BeforeEach
  void createTable() {
    schema.execute("create table effects (text varchar(100))");
  }

  @AfterEach
  void stop() {
    workers.forEach(worker -> worker.stop(Duration.ofSeconds(10)));
    schema.close();
  }

  /** The instance that takes over. */
  final void startHere() {
    workers.add(
        holdfast
            .worker()
            .leaseDuration(WorkerProcess.LEASE)
            .pollInterval(Duration.ofMillis(50))
            .maxCrashes(WorkerProcess.MAX_CRASHES)
            .handle(WorkerProcess.TOLD, (text, context) -> {})
            .handle(WorkerProcess.HELD, (text, context) -> {})
            .handle(
                EventHandler.of(WorkerProcess.EXIT, (text, context) -> {})
                    .maxCrashes(WorkerProcess.TWO_CRASHES))
            .handle(
                EventHandler.transactional(
                    WorkerProcess.EFFECT, (text, tx, context) -> WorkerProcess.effect(tx, text)))
            .start());
  }

  private EventRecord awaitStatus(EventId id, EventStatus status) {
    await(() -> found(id).status() == status);
    return found(id);
  }

  private EventRecord found(EventId id) {
    return holdfast.events().find(id).orElseThrow();
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  @Test
  void otherInstanceRecoversAfterKill() throws Exception {
    EventId id = holdfast.events().schedule(WorkerProcess.HELD.event("x")).id();
    try (ForkedWorker killed = ForkedWorker.start(schema)) {
      killed.says("begun");
      killed.kill();
    }
    startHere();

    EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);

    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.crashes()).isEqualTo(1);
  }

  /** Its worker is stopped in an orderly way, and still it is the event that ends the process. */
  @Test
  void exitingHandlerFailsAtCrashLimit() throws Exception {
    EventId id = holdfast.events().schedule(WorkerProcess.EXIT.event("x")).id();
    for (int i = 0; i < 2; i++) {
      try (ForkedWorker exiting = ForkedWorker.start(schema)) {
        exiting.says("exits");
        exiting.ends();
      }
    }
    startHere();

    EventRecord ended = awaitStatus(id, EventStatus.FAILED);

    assertThat(ended.crashes()).isEqualTo(2);
    assertThat(ended.error()).contains("2 of 2 crashes");
  }

  @Test
  void suspendedInstanceCannotWrite() throws Exception {
    EventId id = holdfast.events().schedule(WorkerProcess.HELD.event("x")).id();
    try (ForkedWorker suspended = ForkedWorker.start(schema)) {
      suspended.says("begun");
      suspended.signal("STOP");
      startHere();
      EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
      suspended.signal("CONT");
      suspended.says("cancelled false");
      await(() -> logOf(suspended).contains("rejected"));
      await(() -> logOf(suspended).contains("worker-lease-lost"));

      assertThat(found(id)).usingRecursiveComparison().isEqualTo(ended);
      assertThat(schema.count("select count(*) from holdfast_event_history")).isEqualTo(1);
    }
  }

  private static String logOf(ForkedWorker worker) {
    try {
      return worker.errors();
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void transactionalEffectsAreExactlyOnce() throws Exception {
    int events = 200;
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < events; i++) {
      texts.add("effect " + i);
    }
    holdfast
        .events()
        .scheduleAll(texts.stream().map(text -> WorkerProcess.EFFECT.event(text)).toList());
    for (int round = 0; round < 2; round++) {
      long before = schema.count("select count(*) from effects");
      try (ForkedWorker killed = ForkedWorker.start(schema)) {
        int some = 20;
        await(
            () -> schema.count("select count(*) from effects") >= Math.min(events, before + some));
        killed.kill();
      }
    }
    startHere();

    await(() -> schema.count("select count(*) from holdfast_event") == 0);
    assertThat(schema.count("select count(*) from holdfast_event_history where status = 2"))
        .isEqualTo(events);
    assertThat(schema.count("select count(*) from effects")).isEqualTo(events);
    assertThat(schema.count("select count(distinct text) from effects")).isEqualTo(events);
  }
}
