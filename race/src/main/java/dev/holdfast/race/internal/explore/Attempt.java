package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.RunRecord;
import java.util.List;

/**
 * A run, and what was looked at when it was over.
 *
 * @param broken the invariants that do not hold
 */
record Attempt(RunRecord record, List<String> broken) {
  boolean isComplete() {
    return record.end() == RunRecord.End.COMPLETE;
  }
}
