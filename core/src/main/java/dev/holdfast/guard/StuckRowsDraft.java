package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a {@link StuckRows} was told so far. Never changed once a StuckRows holds it. */
final class StuckRowsDraft {
  private static final int DEFAULT_BATCH = 100;

  final String table;
  @Nullable String name;
  @Nullable String key;
  @Nullable String status;
  @Nullable Object stuck;
  @Nullable Object recovered;
  SweepPlan.@Nullable Since since;
  @Nullable String version;
  SweepPlan.@Nullable Cap cap;
  SweepPlan.@Nullable Note note;
  ColumnValues only = ColumnValues.NONE;
  final List<String> cleared;
  int batch = DEFAULT_BATCH;

  StuckRowsDraft(String table) {
    this.table = table;
    this.cleared = new ArrayList<>();
  }

  StuckRowsDraft(StuckRowsDraft other) {
    this.table = other.table;
    this.name = other.name;
    this.key = other.key;
    this.status = other.status;
    this.stuck = other.stuck;
    this.recovered = other.recovered;
    this.since = other.since;
    this.version = other.version;
    this.cap = other.cap;
    this.note = other.note;
    this.only = other.only;
    this.cleared = new ArrayList<>(other.cleared);
    this.batch = other.batch;
  }

  String defaultName() {
    return "stuck rows of " + table;
  }

  /** Refuses what is not complete, or contradicts itself. */
  SweepPlan plan() {
    SweepPlan plan =
        new SweepPlan(
            name == null ? defaultName() : name,
            table,
            told(key, "its key, with key(column)"),
            only,
            told(status, "which status is stuck, with status(column, value)"),
            told(stuck, "which status is stuck, with status(column, value)"),
            told(recovered, "where stuck rows go, with recoverTo(status)"),
            told(
                since, "which rows are stuck, with olderThan(column, age) or leaseExpired(column)"),
            told(
                version,
                "its version, with version(column): without one, a worker that comes back would"
                    + " overwrite what was done since"),
            cap,
            note,
            List.copyOf(cleared),
            batch);
    refuseContradictions(plan);
    return plan;
  }

  private void refuseContradictions(SweepPlan plan) {
    different(plan.stuck(), plan.recovered(), "stuck and recovered");
    ColumnValues changed =
        ColumnValues.NONE.with(plan.key(), "").with(plan.status(), "").with(plan.version(), "");
    if (plan.cap() != null) {
      different(plan.stuck(), plan.cap().failed(), "stuck and failed");
      different(plan.recovered(), plan.cap().failed(), "recovered and failed");
      changed = changed.with(plan.cap().column(), "");
    }
    if (plan.note() != null) {
      changed = changed.with(plan.note().column(), "");
    }
    // the time may be cleared, but is nothing else of this
    Require.that(
        !changed.contains(plan.since().column()),
        () -> "each column must be named once, was named twice: '" + plan.since().column() + "'");
    for (String column : plan.cleared()) {
      changed = changed.with(column, "");
    }
  }

  private void different(Object one, Object other, String what) {
    Require.that(
        !Transition.text(one).equals(Transition.text(other)),
        () ->
            what
                + " rows of '"
                + table
                + "' must have different statuses, were both '"
                + one
                + "'");
  }

  private <T> T told(@Nullable T value, String what) {
    Require.that(value != null, () -> "the sweep of '" + table + "' must be told " + what);
    return Require.notNull(value, what);
  }
}
