package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.model.RunRecord.End;

/** Ends a run that cannot go on, with what is wrong. */
final class RunProblem extends Exception {
  private static final long serialVersionUID = 1;

  final End end;

  RunProblem(End end, String message) {
    super(message);
    this.end = end;
  }
}
