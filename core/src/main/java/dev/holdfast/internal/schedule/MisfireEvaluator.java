package dev.holdfast.internal.schedule;

import dev.holdfast.schedule.MisfirePolicy;
import dev.holdfast.schedule.Recurrence;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/** Decides which fires of a period happen. */
final class MisfireEvaluator {
  private static final Duration INITIAL_PERIOD = Duration.ofMinutes(1);

  private MisfireEvaluator() {}

  /** Returns the fires after {@code evaluated} up to {@code now} that happen, in order. */
  static List<Instant> of(
      Recurrence rule, Instant evaluated, Instant now, MisfirePolicy misfire, Duration threshold) {
    Instant late = latest(evaluated, now.minus(threshold));
    List<Instant> onTime = all(rule, late, now);
    int max =
        misfire instanceof MisfirePolicy.CatchUp catchUp
            ? catchUp.max()
            : misfire instanceof MisfirePolicy.FireOnce && onTime.isEmpty() ? 1 : 0;
    List<Instant> fires = new ArrayList<>(max == 0 ? List.of() : last(rule, evaluated, late, max));
    fires.addAll(onTime);
    return fires;
  }

  private static List<Instant> all(Recurrence rule, Instant after, Instant upTo) {
    return after.isBefore(upTo) ? rule.between(after, upTo) : List.of();
  }

  /**
   * The last fires of a period. Reads its end first, then more and more before it: after a month
   * without instances, a recurrence of every second has millions of fires.
   */
  private static List<Instant> last(Recurrence rule, Instant after, Instant upTo, int max) {
    Duration period = INITIAL_PERIOD;
    while (true) {
      Instant from = latest(after, upTo.minus(period));
      Deque<Instant> fires = new ArrayDeque<>();
      Optional<Instant> fire = rule.next(from);
      while (fire.isPresent() && !fire.get().isAfter(upTo)) {
        fires.add(fire.get());
        if (fires.size() > max) {
          fires.remove();
        }
        fire = rule.next(fire.get());
      }
      if (fires.size() == max || from.equals(after)) {
        return List.copyOf(fires);
      }
      period = period.multipliedBy(4);
    }
  }

  static Instant latest(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
