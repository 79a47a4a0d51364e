package dev.holdfast.testing.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.KillableDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** The database dies and comes back while several instances are at work. */
class DatabaseKilledIT {
  private static final EventType<String> PLAIN = EventType.of("plain", String.class);
  private static final int EVENTS = 200;
  private static final List<Integer> KILLED_AT = List.of(40, 100);

  private final Set<String> handled = ConcurrentHashMap.newKeySet();

  @Test
  void instancesSurviveKilledPostgreSql() throws Exception {
    everyInstanceGoesOn(KillableDatabase.postgreSql());
  }

  @Test
  void everyInstanceGoesOnWhenMariaDbIsKilled() throws Exception {
    everyInstanceGoesOn(KillableDatabase.mariaDb());
  }

  private void everyInstanceGoesOn(KillableDatabase server) throws Exception {
    try (server;
        TestSchema schema = server.database().newSchema()) {
      Holdfast.create(schema.dataSource(4)).migrations().migrate();
      schema.execute("create table effects (text varchar(100))");
      List<Worker> workers = List.of(start(schema, "one"), start(schema, "two"));
      try (ForkedWorker process = ForkedWorker.start(schema)) {
        Events events = Holdfast.create(schema.dataSource(4)).events();
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> scheduleAll(events));
        for (int some : KILLED_AT) {
          await("some effects", () -> schema.count("select count(*) from effects") >= some);
          server.kill();
          server.restart();
        }
        load.get(90, TimeUnit.SECONDS);
        await("all end", () -> schema.count("select count(*) from holdfast_event") == 0);

        assertThat(schema.count("select count(*) from effects")).isEqualTo(EVENTS);
        assertThat(schema.count("select count(distinct text) from effects")).isEqualTo(EVENTS);
        assertThat(schema.count("select count(*) from holdfast_event_history where status = 2"))
            .isEqualTo(2 * EVENTS);
        assertThat(handled).hasSize(EVENTS);
        for (String queue : List.of("one", "two", WorkerProcess.OWN_QUEUE)) {
          EventId id = events.schedule(WorkerProcess.EFFECT.event(queue).queue(queue)).id();
          await(
              queue + " goes on",
              () -> events.find(id).orElseThrow().status() == EventStatus.COMPLETED);
        }
        assertThat(process.isAlive()).as(process.errors()).isTrue();
        for (Worker worker : workers) {
          await(
              "without troubles",
              () -> worker.health().isWorking() && worker.health().issues().isEmpty());
        }
      } finally {
        workers.forEach(worker -> worker.stop(Duration.ofSeconds(10)));
      }
    }
  }

  private Worker start(TestSchema schema, String ownQueue) {
    return Holdfast.create(schema.dataSource(8))
        .worker()
        .leaseDuration(WorkerProcess.LEASE)
        .pollInterval(Duration.ofMillis(50))
        .maxCrashes(WorkerProcess.MAX_CRASHES)
        .queue("default", 4)
        .queue(ownQueue, 1)
        .handle(PLAIN, (text, context) -> handled.add(text))
        .handle(
            EventHandler.transactional(
                WorkerProcess.EFFECT, (text, tx, context) -> WorkerProcess.effect(tx, text)))
        .start();
  }

  /** Whoever does not know whether an event is scheduled schedules it again, by its key. */
  private static void scheduleAll(Events events) {
    for (int i = 0; i < EVENTS; i++) {
      List<Event<?>> both = new ArrayList<>();
      both.add(WorkerProcess.EFFECT.event("effect " + i).key("effect " + i));
      both.add(PLAIN.event("plain " + i).key("plain " + i));
      both.forEach(event -> scheduleUntilItIs(events, event));
    }
  }

  private static void scheduleUntilItIs(Events events, Event<?> event) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (true) {
      try {
        events.schedule(event);
        return;
      } catch (HoldfastException e) {
        if (System.nanoTime() > end) {
          throw e;
        }
      }
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
