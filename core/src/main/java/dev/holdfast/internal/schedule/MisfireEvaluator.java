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

/** Which of the fires in a stretch of time are to happen. */
final class MisfireEvaluator {
  private static final Duration FIRST_LOOK = Duration.ofMinutes(1);

  private MisfireEvaluator() {}

  /** Those after {@code settled} up to {@code now} that happen now, in order. */
  static List<Instant> of(
      Recurrence rule, Instant settled, Instant now, MisfirePolicy misfire, Duration threshold) {
    Instant late = latest(settled, now.minus(threshold));
    List<Instant> onTime = all(rule, late, now);
    int most =
        misfire instanceof MisfirePolicy.CatchUp catchUp
            ? catchUp.max()
            : misfire instanceof MisfirePolicy.FireOnce && onTime.isEmpty() ? 1 : 0;
    List<Instant> fires = new ArrayList<>(most == 0 ? List.of() : last(rule, settled, late, most));
    fires.addAll(onTime);
    return fires;
  }

  private static List<Instant> all(Recurrence rule, Instant after, Instant upTo) {
    return after.isBefore(upTo) ? rule.between(after, upTo) : List.of();
  }

  /**
   * The last fires of a stretch. Looks at its end first, then further and further back: after a
   * month without instances, a recurrence of each second has millions.
   */
  private static List<Instant> last(Recurrence rule, Instant after, Instant upTo, int most) {
    Duration look = FIRST_LOOK;
    while (true) {
      Instant from = latest(after, upTo.minus(look));
      Deque<Instant> fires = new ArrayDeque<>();
      Optional<Instant> fire = rule.next(from);
      while (fire.isPresent() && !fire.get().isAfter(upTo)) {
        fires.add(fire.get());
        if (fires.size() > most) {
          fires.remove();
        }
        fire = rule.next(fire.get());
      }
      if (fires.size() == most || from.equals(after)) {
        return List.copyOf(fires);
      }
      look = look.multipliedBy(4);
    }
  }

  static Instant latest(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
