package dev.holdfast.internal.event.engine;

import dev.holdfast.event.QueueLimit;
import dev.holdfast.internal.event.store.LimitStatements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Some limits in the place of others, as they were seen. */
final class LimitReplacement {
  /** In the order in which limits are locked. */
  private final Map<QueueLimit.Target, Change> changes =
      new TreeMap<>(
          Comparator.comparing((QueueLimit.Target of) -> of.kind().name().toLowerCase(Locale.ROOT))
              .thenComparing(QueueLimit.Target::name));

  private record Change(@Nullable QueueLimit seen, @Nullable QueueLimit wanted) {}

  /** Ends the transaction. */
  static final class SeenOtherwise extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final boolean changed;

    SeenOtherwise(boolean changed) {
      this.changed = changed;
    }

    /** Whether the transaction may have changed some limits already. */
    boolean hasChanged() {
      return changed;
    }
  }

  LimitReplacement(Collection<QueueLimit> seen, Collection<QueueLimit> wanted) {
    seen.forEach(limit -> changes.put(limit.target(), new Change(limit, null)));
    wanted.forEach(
        limit -> {
          Change before = changes.get(limit.target());
          changes.put(limit.target(), new Change(before == null ? null : before.seen, limit));
        });
  }

  void apply(Connection connection, LimitStatements limits) throws SQLException {
    for (Map.Entry<QueueLimit.Target, Change> one : changes.entrySet()) {
      if (!limits.isStill(connection, one.getKey(), one.getValue().seen)) {
        throw new SeenOtherwise(false);
      }
    }
    for (Map.Entry<QueueLimit.Target, Change> one : changes.entrySet()) {
      Change change = one.getValue();
      if (change.wanted == null) {
        limits.remove(connection, one.getKey());
      } else if (change.seen != null) {
        limits.set(connection, change.wanted);
      } else if (!limits.create(connection, change.wanted)) {
        throw new SeenOtherwise(true);
      }
    }
  }
}
