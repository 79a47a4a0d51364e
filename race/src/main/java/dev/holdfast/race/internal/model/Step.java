package dev.holdfast.race.internal.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One round trip that an actor is about to make, or another thing that others may come before.
 *
 * @param kind what it is
 * @param text the SQL as the code has written it, one text; the name of a point or an effect; or
 *     COMMIT, ROLLBACK
 * @param params what was bound, each as an SQL literal ({@code 'TEN'}, {@code 5}, {@code NULL});
 *     those of a batch one entry after the other
 * @param connection which of the actor's connections it is on, counted from 1; 0 for a point
 * @param transaction which of the actor's transactions it belongs to, counted from 1 over all its
 *     connections; 0 for a point
 * @param implicit whether the code did not ask for it: the commit after a statement in autocommit
 *     mode, the rollback of a connection that is closed
 * @param plainRead whether it certainly neither changes nor locks anything
 * @param source where it was called from, as {@code Sql.java:7 < Coupons.java:41}, the innermost
 *     first; null if not known
 */
public record Step(
    StepKind kind,
    String text,
    List<String> params,
    int connection,
    int transaction,
    boolean implicit,
    boolean plainRead,
    @Nullable String source) {

  /** Stands in the source between a line and the one that has called it. */
  public static final String CALLED_BY = " < ";

  public Step {
    params = List.copyOf(params);
  }

  public static Step point(StepKind kind, String name, @Nullable String source) {
    return new Step(kind, name, List.of(), 0, 0, false, false, source);
  }

  /** Whether it is something outside of the database. */
  public boolean isElsewhere() {
    return kind == StepKind.POINT || kind == StepKind.EFFECT;
  }

  /** Whether it ends a transaction. */
  public boolean endsTransaction() {
    return kind == StepKind.COMMIT || kind == StepKind.ROLLBACK;
  }
}
