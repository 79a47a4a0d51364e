package dev.holdfast.bench;

import java.util.List;

/** The guards that are measured. */
final class GuardCases {
  private GuardCases() {}

  static List<GuardCase> all() {
    return List.of(
        new UpdateCase(),
        new ConditionalCase(),
        new TransitionCase(),
        new CreateOnceCase(),
        new RowLocksCase(),
        new RollupCase(),
        new StuckRowsCase(),
        new RetryCase());
  }
}
