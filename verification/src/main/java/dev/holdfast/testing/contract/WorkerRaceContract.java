package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.event.Event;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several workers at once: each event is in the hands of one of them. */
public abstract class WorkerRaceContract extends EventContract {
  protected WorkerRaceContract(TestDatabase database) {
    super(database);
  }

  private long live() {
    return schema.count("select count(*) from holdfast_event");
  }

  @Test
  void threeWorkersShareTenEvents() throws Exception {
    List<EventId> ids = IntStream.range(0, 10).mapToObj(i -> schedule(TEXT.event("" + i))).toList();
    CountDownLatch go = new CountDownLatch(1);
    Queue<String> handled = new ConcurrentLinkedQueue<>();
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      workers.add(
          start(
              worker ->
                  worker
                      .queue("default", 5)
                      .handle(
                          TEXT,
                          (payload, context) -> {
                            handled.add(payload);
                            await(go);
                          })));
    }
    await(
        () -> "all must be claimed",
        () -> schema.count("select count(*) from holdfast_event where status = 1") == 10);
    await(
        () -> "each must be in the hands of one",
        () -> workers.stream().mapToInt(Worker::inFlight).sum() == 10);
    for (EventId id : ids) {
      assertThat(found(id).status()).isEqualTo(EventStatus.PROCESSING);
      assertThat(found(id).version()).isEqualTo(2);
    }
    go.countDown();
    await(() -> "all must end", () -> live() == 0);
    assertThat(handled).hasSize(10).doesNotHaveDuplicates();
    assertThat(ids).allSatisfy(id -> assertThat(found(id).version()).isEqualTo(2));
  }

  @Test
  void twoWorkersHandleEachEventOnce() {
    Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    for (int i = 0; i < 2; i++) {
      start(
          worker ->
              worker.handle(
                  TEXT,
                  (payload, context) ->
                      calls
                          .computeIfAbsent(payload, ignored -> new AtomicInteger())
                          .incrementAndGet()));
    }
    List<Event<String>> all =
        IntStream.range(0, 2000).mapToObj(i -> TEXT.event("" + i).priority(i % 10)).toList();
    events.scheduleAll(all);
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(calls).hasSize(2000);
    assertThat(calls.values()).allSatisfy(count -> assertThat(count).hasValue(1));
    assertThat(
            schema.count(
                "select count(*) from holdfast_event_history where status = 2 and version = 2 and"
                    + " attempts = 1"))
        .isEqualTo(2000);
  }

  @Test
  void effectsInTransactionsHappenOnce() {
    schema.execute("create table effect (n integer not null)");
    for (int i = 0; i < 2; i++) {
      start(
          worker ->
              worker
                  .queue("default", 4)
                  .handle(
                      EventHandler.transactional(
                          TEXT,
                          (payload, tx, context) ->
                              Sql.execute(
                                  tx.connection(),
                                  "insert into effect values (" + payload + ")"))));
    }
    events.scheduleAll(IntStream.range(0, 300).mapToObj(i -> TEXT.event("" + i)).toList());
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(schema.count("select count(*) from effect")).isEqualTo(300);
    assertThat(schema.count("select count(distinct n) from effect")).isEqualTo(300);
  }

  @Test
  void orderingKeyRunsEventsInDueOrder() {
    Instant first = Instant.parse("2026-01-01T00:00:00Z");
    List<Event<String>> all = new ArrayList<>();
    for (int i = 29; i >= 0; i--) {
      for (String key : List.of("a", "b", "c")) {
        all.add(TEXT.event(key + i).orderingKey(key).at(first.plusSeconds(i)));
      }
    }
    events.scheduleAll(all);
    Map<String, AtomicInteger> running = new ConcurrentHashMap<>();
    Map<String, List<String>> seen = new ConcurrentHashMap<>();
    Queue<String> overlaps = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 2; i++) {
      start(
          worker ->
              worker.handle(
                  EventHandler.returning(
                      TEXT,
                      (payload, context) -> {
                        String key = payload.substring(0, 1);
                        AtomicInteger now =
                            running.computeIfAbsent(key, ignored -> new AtomicInteger());
                        if (now.incrementAndGet() > 1) {
                          overlaps.add(payload);
                        }
                        boolean later = payload.endsWith("7") && context.version() == 2;
                        if (!later) {
                          seen.computeIfAbsent(
                                  key,
                                  ignored ->
                                      java.util.Collections.synchronizedList(new ArrayList<>()))
                              .add(payload);
                        }
                        now.decrementAndGet();
                        return later ? Outcome.snooze(Duration.ofMillis(30)) : Outcome.complete();
                      })));
    }
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(overlaps).isEmpty();
    for (String key : List.of("a", "b", "c")) {
      assertThat(seen.get(key))
          .containsExactlyElementsOf(IntStream.range(0, 30).mapToObj(i -> key + i).toList());
    }
  }

  @Test
  void handlesConcurrentlyScheduledEventsOnce() {
    Queue<String> handled = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 2; i++) {
      start(worker -> worker.handle(TEXT, (payload, context) -> handled.add(payload)));
    }
    List<EventScheduleResult> results = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      results.add(events.schedule(TEXT.event("k" + i).key("k" + i)));
      results.addAll(events.scheduleAll(List.of(TEXT.event("x" + i), TEXT.event("y" + i))));
    }
    await(() -> live() + " must have ended", () -> live() == 0);
    assertThat(results).hasSize(180).allMatch(EventScheduleResult.Scheduled.class::isInstance);
    assertThat(handled).hasSize(180).doesNotHaveDuplicates();
  }
}
