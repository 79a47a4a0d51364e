package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Queues;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is known of what workers have done, and of how much there is to do. */
public abstract class StatsContract extends EventContract {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration SHORT_LEASE = Duration.ofSeconds(1);
  private static final EventType<String> LONELY = EventType.of("lonely", String.class);
  private static final EventType<String> BOOKED = EventType.of("booked", String.class);

  protected StatsContract(TestDatabase database) {
    super(database);
  }

  private EventStats.Point sum() {
    return holdfast.stats().timeSeries(HOUR, MINUTE).stream()
        .reduce(EventStats.Point.empty(Instant.EPOCH), EventStats.Point::plus);
  }

  private Worker startCounted() {
    RetryPolicy twice = RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO).attempts(2);
    return start(
        worker ->
            worker
                .queue("mail", 2)
                .queue("default", 2)
                .leaseDuration(SHORT_LEASE)
                .handle(
                    EventHandler.returning(
                            TEXT,
                            (payload, context) ->
                                switch (payload) {
                                  case "fail" -> Outcome.fail("no");
                                  case "cancel" -> Outcome.cancel("not needed");
                                  case "retry" -> throw new IllegalStateException("again");
                                  default -> Outcome.complete();
                                })
                        .retry(twice))
                .handle(EventHandler.transactional(BOOKED, (payload, tx, context) -> {})));
  }

  @Test
  void whatWorkersDoIsCounted() {
    startCounted();
    schedule(TEXT.event("a"));
    schedule(TEXT.event("b").queue("mail"));
    schedule(BOOKED.event("c"));
    schedule(TEXT.event("fail"));
    schedule(TEXT.event("cancel"));
    schedule(TEXT.event("retry"));
    await(
        () -> "all must be counted, was " + sum(),
        () -> {
          EventStats.Point sum = sum();
          return sum.completed() == 3
              && sum.failed() == 2
              && sum.cancelled() == 1
              && sum.retried() == 1;
        });
    assertThat(schema.count("select count(distinct queue) from holdfast_stat where completed > 0"))
        .isEqualTo(2);
  }

  @Test
  void countsAddUpWithinMinuteAndAtStop() {
    Worker worker = startCounted();
    for (int i = 1; i <= 3; i++) {
      schedule(TEXT.event("a"));
      int expected = i;
      await(() -> "it must be counted", () -> sum().completed() == expected);
    }
    schedule(TEXT.event("a"));
    await(() -> "it must end", () -> schema.count("select count(*) from holdfast_event") == 0);
    worker.stop(Duration.ofSeconds(10));
    assertThat(sum().completed()).isEqualTo(4);
    assertThat(schema.count("select count(distinct instance) from holdfast_stat")).isEqualTo(1);
  }

  @Test
  void itIsKnownHowLateEventsWere() {
    startCounted();
    // until the worker knows the clock of the database
    await(
        () -> "lag must be known",
        () -> {
          schedule(TEXT.event("a"));
          return sum().lagCount() > 0;
        });
    schedule(TEXT.event("late").queue("mail").at(Instant.parse("2100-01-01T00:00:00Z")));
    schema.execute(
        "update holdfast_event set created_at = timestamp '2020-01-01 00:00:00', due_at = timestamp"
            + " '2020-01-01 00:00:00' where queue = 'mail'");
    await(
        () -> "the lag must be known, was " + sum(),
        () -> sum().lagMax().compareTo(Duration.ofDays(365)) > 0);
    assertThat(sum().lagAverage()).isBetween(Duration.ofMillis(1), sum().lagMax());
  }

  @Test
  void lagStartsAtCreation() {
    startCounted();
    await(
        () -> "lag must be known",
        () -> {
          schedule(TEXT.event("a"));
          return sum().lagCount() > 0;
        });
    schedule(TEXT.event("old").at(Instant.parse("1970-01-03T00:00:00Z")).queue("mail"));
    await(
        () -> "it must be counted",
        () -> schema.count("select count(*) from holdfast_stat where queue = 'mail'") == 1);
    assertThat(sum().lagMax()).isLessThan(Duration.ofDays(1));
  }

  @Test
  void countsManualWorker() {
    schedule(TEXT.event("a"));
    var worker = holdfast.worker().handle(TEXT, (payload, context) -> {}).buildManual();
    while (worker.handleNext().isPresent()) {
      // until nothing is due
    }
    assertThat(sum().completed()).isEqualTo(1);
  }

  @Test
  void aSeriesHasAllStepsOfItsWindow() {
    List<EventStats.Point> series = holdfast.stats().timeSeries(HOUR, Duration.ofMinutes(5));
    assertThat(series).hasSizeBetween(13, 14).allMatch(point -> point.completed() == 0);
    assertThat(series.get(1).at()).isEqualTo(series.get(0).at().plus(Duration.ofMinutes(5)));
    EventStats stats = holdfast.stats();
    for (Duration wrong :
        List.of(
            Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(59), Duration.ofDays(8))) {
      assertThatThrownBy(() -> stats.timeSeries(wrong, MINUTE))
          .isInstanceOf(InvalidArgumentException.class);
    }
    assertThatThrownBy(() -> stats.timeSeries(HOUR, Duration.ofSeconds(90)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("whole minutes");
  }

  @Test
  void whatWasCountedLongAgoIsForgotten() {
    schema.execute(
        "insert into holdfast_stat (shard, at_minute, queue, instance, completed, failed,"
            + " cancelled, retried, lag_count, lag_sum, lag_max) values (0, timestamp '2020-01-01"
            + " 00:00:00', 'default', 1, 1, 0, 0, 0, 0, 0, 0)");
    startCounted();
    await(
        () -> "it must be forgotten",
        () ->
            schema.count(
                    "select count(*) from holdfast_stat where at_minute < timestamp '2021-01-01"
                        + " 00:00:00'")
                == 0);
  }

  @Test
  void howMuchThereIsToDoIsCounted() {
    assertThat(holdfast.stats().queueDepths()).isEmpty();
    for (int i = 0; i < 20; i++) {
      schedule(TEXT.event("a"));
      schedule(TEXT.event("a").queue("mail").delay(HOUR));
    }
    schedule(TEXT.event("a").at(Instant.now().minus(HOUR)));
    schema.execute(
        "update holdfast_event set status = 1, owner = 1 where queue = 'mail' and id in (select id"
            + " from (select max(id) as id from holdfast_event where queue = 'mail') x)");

    holdfast.stats().refreshQueueDepths();

    List<EventStats.QueueDepth> queues = holdfast.stats().queueDepths().orElseThrow().queues();
    assertThat(queues).extracting(EventStats.QueueDepth::queue).containsExactly("default", "mail");
    assertThat(queues).extracting(EventStats.QueueDepth::pending).containsExactly(21L, 19L);
    assertThat(queues).extracting(EventStats.QueueDepth::due).containsExactly(21L, 0L);
    assertThat(queues).extracting(EventStats.QueueDepth::processing).containsExactly(0L, 1L);
    assertThat(queues.get(0).oldestDueAge())
        .isBetween(Duration.ofMinutes(55), Duration.ofMinutes(65));
    assertThat(queues.get(1).oldestDueAge()).isZero();
  }

  @Test
  void oneInstanceCountsAtATime() {
    ConcurrentActors.run(
            Duration.ofMinutes(1),
            8,
            index -> {
              Holdfast.builder(schema.dataSource(2))
                  .shards(shards())
                  .build()
                  .stats()
                  .refreshQueueDepths();
              return true;
            })
        .resultsOrThrow();
    assertThat(counts()).isEqualTo(1);
    holdfast.stats().refreshQueueDepths();
    assertThat(counts()).isEqualTo(1);
    makeItTime();
    holdfast.stats().refreshQueueDepths();
    assertThat(counts()).isEqualTo(2);
  }

  /**
   * How often it was counted: each count changes the row twice, when it begins and when it ends.
   */
  private long counts() {
    long version = schema.count("select version from holdfast_depth");
    assertThat(version).isEven();
    return version / 2;
  }

  /** As after the pause between two counts. */
  private void makeItTime() {
    schema.execute("update holdfast_depth set next_at = timestamp '2020-01-01 00:00:00'");
  }

  @Test
  void aLaterCountTakesThePlaceOfTheOneBefore() {
    holdfast.stats().refreshQueueDepths();
    Instant first = holdfast.stats().queueDepths().orElseThrow().countedAt();
    schedule(TEXT.event("a"));
    makeItTime();
    holdfast.stats().refreshQueueDepths();
    assertThat(holdfast.stats().queueDepths().orElseThrow().countedAt()).isAfter(first);
    assertThat(holdfast.stats().queueDepths().orElseThrow().queues()).hasSize(1);
  }

  @Test
  void whatIsCancelledBeforeItBeginsIsCounted() {
    startCounted();
    for (int i = 0; i < 3; i++) {
      var waiting = schedule(TEXT.event("a").delay(HOUR));
      events.cancel(waiting, 1, "not needed");
    }
    awaitStatus(schedule(TEXT.event("cancel")), EventStatus.CANCELLED);
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
    assertThat(holdfast.stats().cancelled(HOUR)).isEqualTo(4);
  }

  @Test
  void typesWithoutAHandlerAreKnown() {
    schedule(LONELY.event("a").queue("mail"));
    schedule(LONELY.event("b").queue("mail"));
    schedule(TEXT.event("c").queue("mail").delay(HOUR));
    Worker worker = startCounted();
    await(
        () -> "they must be known, were " + holdfast.stats().unhandled("mail"),
        () ->
            holdfast
                .stats()
                .unhandled("mail")
                .equals(List.of(new EventStats.UnhandledType("lonely", 2))));
    assertThat(holdfast.stats().unhandled("default")).isEmpty();
    await(
        () -> "the health must name them",
        () ->
            worker.health().issues().stream()
                .anyMatch(
                    text ->
                        text.message().contains("no instance has a handler for it (2 due)")
                            && text.message().contains("the type lonely in the queue mail")));

    queues.pause("mail");
    Worker other =
        start(
            more ->
                more.allQueues(2)
                    .leaseDuration(SHORT_LEASE)
                    .handle(LONELY, (payload, context) -> {}));
    await(
        () -> "another instance has a handler for them",
        () -> holdfast.stats().unhandled("mail").isEmpty());
    other.stop(Duration.ofSeconds(10));
    await(
        () -> "it has stopped, and they are without a handler again",
        () -> holdfast.stats().unhandled("mail").size() == 1);
  }

  @Test
  void theEventsThatFailedLastAreKnown() {
    startCounted();
    var failed = schedule(TEXT.event("fail"));
    awaitStatus(failed, EventStatus.FAILED);
    var last = schedule(TEXT.event("fail").queue("mail"));
    awaitStatus(last, EventStatus.FAILED);

    List<EventStats.Failure> known = holdfast.stats().recentFailures(HOUR, 10);

    assertThat(known).extracting(EventStats.Failure::id).containsExactly(last, failed);
    assertThat(known.get(0).queue()).isEqualTo("mail");
    assertThat(known.get(0).error()).isEqualTo("no");
    assertThat(holdfast.stats().recentFailures(HOUR, 1)).hasSize(1);
  }

  @Test
  void oneOfConcurrentReplacementsWins() {
    QueueLimit five = QueueLimit.queue("mail").maxConcurrency(5);
    for (List<QueueLimit> seen : List.of(List.<QueueLimit>of(), List.of(five))) {
      List<Queues.LimitResult> results =
          ConcurrentActors.run(
                  Duration.ofMinutes(1),
                  6,
                  index ->
                      Holdfast.create(schema.dataSource(2))
                          .queues()
                          .replaceLimits(
                              seen, List.of(QueueLimit.queue("mail").maxConcurrency(10 + index))))
              .resultsOrThrow();
      assertThat(results).containsOnlyOnce(Queues.LimitResult.APPLIED);
      queues.setLimit(five);
    }
    assertThat(
            queues.replaceLimits(
                List.of(five), List.of(QueueLimit.perKey("mail").maxConcurrency(1))))
        .isEqualTo(Queues.LimitResult.APPLIED);
    assertThat(queues.limits()).containsExactly(QueueLimit.perKey("mail").maxConcurrency(1));
  }

  @Test
  void itIsKnownWhichQueuesArePaused() {
    assertThat(queues.paused()).isEmpty();
    queues.pause("mail");
    queues.pauseType(TEXT);
    assertThat(queues.paused()).containsExactly("mail");
    queues.resume("mail");
    assertThat(queues.paused()).isEmpty();
  }
}
