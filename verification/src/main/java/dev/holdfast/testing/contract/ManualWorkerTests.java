package dev.holdfast.testing.contract;

import dev.holdfast.event.EventStatus;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestHoldfast;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of workers driven by hand stand on: a time that a test moves. */
abstract class ManualWorkerTests extends EventContract {
  static final Instant NOON = Instant.parse("2024-03-25T12:00:00Z");
  static final Duration HOUR = Duration.ofHours(1);
  static final Duration MINUTE = Duration.ofMinutes(1);

  /** What handlers have noted, in order. */
  final List<String> seen = new ArrayList<>();

  TestHoldfast test;

  @SuppressWarnings("NullAway.Init")
  ManualWorkerTests(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  final void standStill() {
    test = TestHoldfast.builder(schema.dataSource()).startTime(NOON).build();
    events = test.holdfast().events();
    queues = test.holdfast().queues();
  }

  /** A note with the time, as a difference to noon. */
  final void note(String what) {
    seen.add(what + " " + Duration.between(NOON, test.clock().instant()));
  }

  static List<EventStatus> statuses(List<ManualWorker.Result> handled) {
    return handled.stream().map(one -> one.event().status()).toList();
  }
}
