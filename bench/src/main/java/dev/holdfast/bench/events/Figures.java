package dev.holdfast.bench.events;

import dev.holdfast.testing.TestSchema;
import java.time.Duration;

/**
 * What a contender reached, in events per second: the best of some rounds, of which the first also
 * warms it up.
 */
record Figures(String name, int events, double enqueued, double drained) {

  /**
   * Stores and drains this many events in each round.
   *
   * @param settle statements to run on the schema after each step, not measured, so that none pays
   *     for what the one before has left
   */
  static Figures of(
      Contender contender, int events, int rounds, TestSchema schema, String... settle)
      throws Exception {
    double enqueued = 0;
    double drained = 0;
    for (int round = 0; round < rounds; round++) {
      schema.execute(settle);
      long start = System.nanoTime();
      contender.enqueue(events);
      enqueued = Math.max(enqueued, perSecond(events, System.nanoTime() - start));
      schema.execute(settle);
      Duration time = contender.drain(events);
      drained = Math.max(drained, perSecond(events, time.toNanos()));
    }
    return new Figures(contender.name(), events, enqueued, drained);
  }

  private static double perSecond(int events, long nanos) {
    return events * 1e9 / nanos;
  }
}
