package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.StepKind;
import java.util.regex.Pattern;

/**
 * Tells who has given up because a write of its own changed nothing: {@code update … where version
 * = ?}. No serial order says "somebody else has changed it", but it is right to say so.
 */
final class Guarded {
  private static final Pattern WRITE =
      Pattern.compile("(?is)\\s*(insert|update|delete|merge)\\b.*");

  private Guarded() {}

  /** Whether the last statement of this actor, which threw, was a write that changed no row. */
  static boolean refused(int actor, RunRecord run) {
    Entry last = null;
    for (Entry entry : run.entries()) {
      if (entry.actor() == actor && !entry.step().endsTransaction()) {
        last = entry;
      }
    }
    return last != null
        && last.step().kind() == StepKind.STATEMENT
        && WRITE.matcher(last.step().text()).matches()
        && last.result().error() == null
        && (last.result().updated() == 0
            || (last.result().isQuery() && last.result().rowCount() == 0));
  }
}
