package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventStats;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.FailedEvent;
import dev.holdfast.event.Limit;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.QueueDepth;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.StatsPoint;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.Actors;
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

  private StatsPoint sum() {
    return holdfast.stats().series(HOUR, MINUTE).stream()
        .reduce(StatsPoint.none(Instant.EPOCH), StatsPoint::plus);
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
          StatsPoint sum = sum();
          return sum.completed() == 3
              && sum.failed() == 2
              && sum.cancelled() == 1
              && sum.retried() == 1;
        });
    assertThat(schema.count("select count(distinct queue) from holdfast_stat where completed > 0"))
        .isEqualTo(2);
  }

  @Test
  void whatIsCountedAddsUpWithinAMinuteAndAtTheStop() {
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
    assertThat(sum().lagAvg()).isBetween(Duration.ofMillis(1), sum().lagMax());
  }

  @Test
  void anEventIsNotLateForTheTimeBeforeItWasMade() {
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
  void aWorkerDrivenByHandCountsToo() {
    schedule(TEXT.event("a"));
    var worker = holdfast.worker().handle(TEXT, (payload, context) -> {}).buildManual();
    while (worker.handleNext().isPresent()) {
      // until nothing is due
    }
    assertThat(sum().completed()).isEqualTo(1);
  }

  @Test
  void aSeriesHasAllStepsOfItsWindow() {
    List<StatsPoint> series = holdfast.stats().series(HOUR, Duration.ofMinutes(5));
    assertThat(series).hasSizeBetween(13, 14).allMatch(point -> point.completed() == 0);
    assertThat(series.get(1).at()).isEqualTo(series.get(0).at().plus(Duration.ofMinutes(5)));
    EventStats stats = holdfast.stats();
    for (Duration wrong :
        List.of(
            Duration.ZERO, Duration.ofSeconds(-1), Duration.ofSeconds(59), Duration.ofDays(8))) {
      assertThatThrownBy(() -> stats.series(wrong, MINUTE))
          .isInstanceOf(InvalidArgumentException.class);
    }
    assertThatThrownBy(() -> stats.series(HOUR, Duration.ofSeconds(90)))
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
    assertThat(holdfast.stats().depth()).isEmpty();
    for (int i = 0; i < 20; i++) {
      schedule(TEXT.event("a"));
      schedule(TEXT.event("a").queue("mail").after(HOUR));
    }
    schedule(TEXT.event("a").at(Instant.now().minus(HOUR)));
    schema.execute(
        "update holdfast_event set status = 1, owner = 1 where queue = 'mail' and id in (select id"
            + " from (select max(id) as id from holdfast_event where queue = 'mail') x)");

    assertThat(holdfast.stats().count()).isTrue();

    List<QueueDepth> queues = holdfast.stats().depth().orElseThrow().queues();
    assertThat(queues).extracting(QueueDepth::queue).containsExactly("default", "mail");
    assertThat(queues).extracting(QueueDepth::pending).containsExactly(21L, 19L);
    assertThat(queues).extracting(QueueDepth::due).containsExactly(21L, 0L);
    assertThat(queues).extracting(QueueDepth::processing).containsExactly(0L, 1L);
    assertThat(queues.get(0).oldestDueAge())
        .isBetween(Duration.ofMinutes(55), Duration.ofMinutes(65));
    assertThat(queues.get(1).oldestDueAge()).isZero();
  }

  @Test
  void itIsCountedByOneAtATimeAndNotAtOnceAgain() {
    List<Boolean> counted =
        Actors.run(
                Duration.ofMinutes(1),
                8,
                index -> Holdfast.using(schema.dataSource(2)).shards(shards()).stats().count())
            .resultsOrThrow();
    assertThat(counted).containsOnlyOnce(true);
    assertThat(holdfast.stats().count()).isFalse();
    makeItTime();
    assertThat(holdfast.stats().count()).isTrue();
    assertThat(schema.count("select version from holdfast_depth")).isEqualTo(4);
  }

  /** As after the pause between two counts. */
  private void makeItTime() {
    schema.execute("update holdfast_depth set next_at = timestamp '2020-01-01 00:00:00'");
  }

  @Test
  void aLaterCountTakesThePlaceOfTheOneBefore() {
    assertThat(holdfast.stats().count()).isTrue();
    Instant first = holdfast.stats().depth().orElseThrow().countedAt();
    schedule(TEXT.event("a"));
    makeItTime();
    assertThat(holdfast.stats().count()).isTrue();
    assertThat(holdfast.stats().depth().orElseThrow().countedAt()).isAfter(first);
    assertThat(holdfast.stats().depth().orElseThrow().queues()).hasSize(1);
  }

  @Test
  void whatIsCancelledBeforeItBeginsIsCounted() {
    startCounted();
    for (int i = 0; i < 3; i++) {
      var waiting = schedule(TEXT.event("a").after(HOUR));
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
    schedule(TEXT.event("c").queue("mail").after(HOUR));
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

    events.pauseQueue("mail");
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

    List<FailedEvent> known = holdfast.stats().failed(HOUR, 10);

    assertThat(known).extracting(FailedEvent::id).containsExactly(last, failed);
    assertThat(known.get(0).queue()).isEqualTo("mail");
    assertThat(known.get(0).error()).isEqualTo("no");
    assertThat(holdfast.stats().failed(HOUR, 1)).hasSize(1);
  }

  @Test
  void ofAllWhoReplaceTheSameLimitsOneDoes() {
    Limit five = Limit.queue("mail").concurrent(5);
    for (List<Limit> seen : List.of(List.<Limit>of(), List.of(five))) {
      List<Boolean> results =
          Actors.run(
                  Duration.ofMinutes(1),
                  6,
                  index ->
                      Holdfast.using(schema.dataSource(2))
                          .events()
                          .replaceLimits(seen, List.of(Limit.queue("mail").concurrent(10 + index))))
              .resultsOrThrow();
      assertThat(results).containsOnlyOnce(true);
      events.limit(five);
    }
    assertThat(events.replaceLimits(List.of(five), List.of(Limit.keys("mail").concurrent(1))))
        .isTrue();
    assertThat(events.limits()).containsExactly(Limit.keys("mail").concurrent(1));
  }

  @Test
  void itIsKnownWhichQueuesArePaused() {
    assertThat(events.pausedQueues()).isEmpty();
    events.pauseQueue("mail");
    events.pauseType(TEXT);
    assertThat(events.pausedQueues()).containsExactly("mail");
    events.resumeQueue("mail");
    assertThat(events.pausedQueues()).isEmpty();
  }
}
