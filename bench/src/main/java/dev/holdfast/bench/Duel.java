package dev.holdfast.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Two ways of doing the same thing, measured in turns.
 *
 * <p>Each round runs both for a short slice, the second first in every other round, and takes the
 * ratio of that round; the answer is the median of the rounds. So whatever else the machine does
 * hits both sides, and a single bad slice does not count.
 */
final class Duel {
  /** One side: does a batch of operations and answers how many. */
  @FunctionalInterface
  interface Side {
    int batch() throws Exception;
  }

  private final Duration warmUp;
  private final int rounds;
  private final Duration slice;

  /** {@code warmUp} is for each side. */
  Duel(Duration warmUp, int rounds, Duration slice) {
    this.warmUp = warmUp;
    this.rounds = rounds;
    this.slice = slice;
  }

  Turns fight(Side ours, Side theirs) throws Exception {
    perSecond(ours, warmUp);
    perSecond(theirs, warmUp);
    List<Double> our = new ArrayList<>();
    List<Double> their = new ArrayList<>();
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      double first = perSecond(round % 2 == 0 ? ours : theirs, slice);
      double second = perSecond(round % 2 == 0 ? theirs : ours, slice);
      our.add(round % 2 == 0 ? first : second);
      their.add(round % 2 == 0 ? second : first);
      ratios.add(our.get(round) / their.get(round));
    }
    return Turns.of(our, their, ratios);
  }

  private static double perSecond(Side side, Duration time) throws Exception {
    long start = System.nanoTime();
    long end = start + time.toNanos();
    long operations = 0;
    long now;
    do {
      operations += side.batch();
      now = System.nanoTime();
    } while (now < end);
    return operations * 1e9 / (now - start);
  }
}
