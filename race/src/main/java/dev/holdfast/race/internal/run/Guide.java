package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.model.Move;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides in a run who goes next. */
public interface Guide {

  /**
   * What can be done now.
   *
   * @param enabled the actors that could go, in their order; never empty
   * @param last who went last; -1 at the beginning
   * @param spinning whether who went last does the same again and again, with the same answer
   * @param started which actors have begun
   * @param crashable which of the enabled ones are about to make a step that may be cut off
   * @param state stands for all that the future depends on; the same text, the same future
   */
  record Situation(
      List<Integer> enabled,
      int last,
      boolean spinning,
      List<Boolean> started,
      List<Integer> crashable,
      String state) {

    public boolean isEnabled(int actor) {
      return enabled.contains(actor);
    }

    /**
     * Who goes on where nobody is preempted: who went last, unless it waits, or spins until another
     * has done something.
     */
    public int goesOn() {
      if (!isEnabled(last)) {
        return enabled.get(0);
      }
      return spinning
          ? enabled.stream().filter(other -> other != last).findFirst().orElse(last)
          : last;
    }

    /** Whether to let this one go is a preemption. */
    public boolean preempts(int actor) {
      return isEnabled(last) && (spinning ? actor == last : actor != last);
    }
  }

  /**
   * Decides.
   *
   * @return null to end the run here
   */
  @Nullable Move next(Situation situation);
}
