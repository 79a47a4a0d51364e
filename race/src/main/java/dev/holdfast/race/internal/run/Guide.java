package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Move;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Decides in a run which actor goes next. */
public interface Guide {

  /**
   * What can be done now.
   *
   * @param enabled the actors that could go, in their order; never empty
   * @param polling those of them that poll, and would read nothing new before another has gone
   * @param last the actor that went last; -1 at the beginning
   * @param started which actors have begun
   * @param crashable which of the enabled ones are about to make a step that may be cut off
   * @param losable those of them whose connection may be lost with it
   * @param state stands for all that the future depends on; the same text, the same future
   */
  record Situation(
      List<Integer> enabled,
      List<Integer> polling,
      int last,
      List<Boolean> started,
      List<Integer> crashable,
      List<Integer> losable,
      String state) {
    private static final List<Fate> DEATHS = List.of(Fate.DIE_AFTER, Fate.DIE_BEFORE);
    private static final List<Fate> CRASHES =
        List.of(Fate.DIE_AFTER, Fate.DIE_BEFORE, Fate.LOSE_AFTER, Fate.LOSE_BEFORE);

    /** How an actor may be cut off at its next step. */
    public List<Fate> crashes(int actor) {
      if (!crashable.contains(actor)) {
        return List.of();
      }
      return losable.contains(actor) ? CRASHES : DEATHS;
    }

    public boolean isEnabled(int actor) {
      return enabled.contains(actor);
    }

    /** The enabled actors, without those that poll unless all do; never empty. */
    public List<Integer> going() {
      List<Integer> going = enabled.stream().filter(actor -> !polling.contains(actor)).toList();
      return going.isEmpty() ? enabled : going;
    }
  }

  /**
   * Decides.
   *
   * @return null to end the run here
   */
  @Nullable Move next(Situation situation);
}
