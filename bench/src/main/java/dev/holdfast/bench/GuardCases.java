package dev.holdfast.bench;

import java.util.List;

/** The guards that are measured. */
final class GuardCases {
  private GuardCases() {}

  static List<GuardCase> all() {
    return List.of(new UpdateCase());
  }
}
