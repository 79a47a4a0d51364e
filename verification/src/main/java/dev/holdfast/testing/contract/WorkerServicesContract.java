package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Health;
import dev.holdfast.Health.Status;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.event.Worker;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The lifecycle of a worker, and the services that run along with it. */
public abstract class WorkerServicesContract extends EventContract {
  private static final EventType<String> TICK = EventType.of("tick", String.class);
  private static final String SCHEDULES = "schedule-runner";
  private static final String CLEANER = "idempotency-cleaner";

  protected WorkerServicesContract(TestDatabase database) {
    super(database);
  }

  private void declareEverySecond() {
    holdfast
        .schedules()
        .declare(
            Schedule.of(
                "seconds", Recurrence.cron("* * * * * *", ZoneOffset.UTC), TICK.event("tock")));
  }

  private static void awaitStatus(Worker worker, Status status) {
    await(
        () -> "the worker must be " + status + ", is " + worker.health(),
        () -> worker.health().status() == status);
  }

  private static boolean hasIssue(Worker worker, String code) {
    return worker.health().issues().stream().anyMatch(issue -> issue.code().equals(code));
  }

  @Test
  void aWorkerFiresSchedulesAndRunsTheCleaner() throws Exception {
    declareEverySecond();
    CountDownLatch ticks = new CountDownLatch(2);
    Worker worker = start(builder -> builder.handle(TICK, (text, context) -> ticks.countDown()));
    await(ticks);
    awaitStatus(worker, Status.UP);
    assertThat(worker.health().details())
        .containsEntry(SCHEDULES, "up")
        .containsEntry(CLEANER, "up")
        .containsEntry("lease", "held")
        .containsKeys("instance", "notifications", "in-flight", SCHEDULES + ".last-check");

    assertThat(worker.stop(LIMIT)).isTrue();

    assertThat(worker.health()).isEqualTo(Health.stopped());
    long fired = schema.count("select version from holdfast_schedule");
    declareNothingNew();
    assertThat(schema.count("select version from holdfast_schedule")).isEqualTo(fired);
  }

  /** Another worker without schedules has looked several times meanwhile. */
  private void declareNothingNew() {
    Worker other =
        start(builder -> builder.scheduling(false).cleanup(false).handle(TEXT, (t, c) -> {}));
    for (int i = 0; i < 3; i++) {
      awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
    }
    assertThat(other.health().details()).doesNotContainKeys(SCHEDULES, CLEANER);
  }

  @Test
  void eachOfTheServicesCanBeTurnedOff() {
    Worker cleaning =
        start(builder -> builder.scheduling(false).handle(TEXT, (text, context) -> {}));
    Worker firing = start(builder -> builder.cleanup(false).handle(TICK, (text, context) -> {}));
    assertThat(cleaning.health().details()).containsKey(CLEANER).doesNotContainKey(SCHEDULES);
    assertThat(firing.health().details()).containsKey(SCHEDULES).doesNotContainKey(CLEANER);
  }

  @Test
  void whatWasBuiltDoesNotRunBeforeItIsStarted() {
    Worker worker = holdfast.worker().handle(TEXT, (text, context) -> {}).build();
    try (worker) {
      assertThat(worker.isRunning()).isFalse();
      assertThat(worker.inFlight()).isZero();
      assertThat(worker.health()).isEqualTo(Health.stopped());
      assertThat(holdfast.stats().instances()).isEmpty();
      EventId id = schedule(TEXT.event("a"));

      worker.start();
      worker.start();

      assertThat(worker.isRunning()).isTrue();
      awaitStatus(id, EventStatus.COMPLETED);
      assertThat(holdfast.stats().instances()).hasSize(1);
    }
    assertThat(worker.isRunning()).isFalse();
    assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
    assertThat(worker.stop(Duration.ZERO)).isTrue();
  }

  @Test
  void aWorkerThatWasStoppedCanBeStartedAgain() {
    Worker worker =
        start(builder -> builder.instanceName("again").handle(TEXT, (text, context) -> {}));
    for (int i = 0; i < 3; i++) {
      awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
      awaitStatus(worker, Status.UP);
      assertThat(worker.stop(LIMIT)).isTrue();
      assertThat(worker.isRunning()).isFalse();
      assertThat(holdfast.stats().instances()).extracting(InstanceRecord::name).isEmpty();
      worker.start();
    }
    awaitStatus(schedule(TEXT.event("b")), EventStatus.COMPLETED);
  }

  @Test
  void missingTablesDoNotBreakWorker() {
    schema.execute(
        "alter table holdfast_schedule rename to hidden_schedule",
        "alter table holdfast_idempotency rename to hidden_idempotency");
    Worker worker = start(builder -> builder.handle(TEXT, (text, context) -> {}));
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
    await(
        () -> "it must say that there is no table, says " + worker.health(),
        () -> "missing".equals(worker.health().details().get(SCHEDULES + ".table")));
    awaitStatus(worker, Status.UP);
    assertThat(worker.stop(LIMIT)).isTrue();
  }

  @Test
  void failedServiceIsHealthIssue() throws Exception {
    CountDownLatch tick = new CountDownLatch(1);
    Worker worker =
        start(
            builder ->
                builder
                    .handle(TEXT, (text, context) -> {})
                    .handle(TICK, (text, context) -> tick.countDown()));
    await(
        () -> "it must have looked, is " + worker.health(),
        () -> worker.health().details().containsKey(SCHEDULES + ".last-check"));
    schema.execute("alter table holdfast_schedule rename to hidden_schedule");
    await(
        () -> "it must be an issue, is " + worker.health(),
        () -> hasIssue(worker, "schedule-fire-failed"));
    assertThat(worker.health().status()).isEqualTo(Status.DEGRADED);
    assertThat(worker.health().isWorking()).isTrue();
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);

    schema.execute("alter table hidden_schedule rename to holdfast_schedule");
    declareEverySecond();

    await(tick);
    awaitStatus(worker, Status.UP);
  }

  @Test
  void addsQueueToDefaultOrReplacesList() {
    Queue<String> added = new ConcurrentLinkedQueue<>();
    Queue<String> listed = new ConcurrentLinkedQueue<>();
    start(builder -> builder.queue("mail", 1).handle(TEXT, (text, context) -> added.add(text)));
    awaitStatus(schedule(TEXT.event("mail").queue("mail")), EventStatus.COMPLETED);
    awaitStatus(schedule(TEXT.event("default")), EventStatus.COMPLETED);
    assertThat(added).containsExactlyInAnyOrder("mail", "default");
    stopWorkers();

    start(
        builder ->
            builder
                .queue("mail", 1)
                .queues(Map.of("bulk", 2))
                .handle(TEXT, (text, context) -> listed.add(text)));
    EventId mail = schedule(TEXT.event("mail").queue("mail"));
    EventId other = schedule(TEXT.event("default"));
    awaitStatus(schedule(TEXT.event("bulk").queue("bulk")), EventStatus.COMPLETED);
    assertThat(listed).containsExactly("bulk");
    assertThat(found(mail).status()).isEqualTo(EventStatus.PENDING);
    assertThat(found(other).status()).isEqualTo(EventStatus.PENDING);
    assertThatThrownBy(() -> holdfast.worker().queues(Map.of())).hasMessageContaining("queues");
    assertThatThrownBy(() -> holdfast.worker().queues(Map.of("a", 0)))
        .hasMessageContaining("concurrency");
  }
}
