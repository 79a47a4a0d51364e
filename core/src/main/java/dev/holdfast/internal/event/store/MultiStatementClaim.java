package dev.holdfast.internal.event.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The claim, in steps.
 *
 * <ol>
 *   <li>One look, without a lock, at which priorities have something due, and whether the instance
 *       is alive. It reads one entry of the index for each priority, so future events cost nothing.
 *   <li>For each of those, from the highest down, until there is enough: the rows are locked in due
 *       order, those that others have locked are left out.
 *   <li>What is locked is changed by its id, and has to be exactly that.
 * </ol>
 *
 * <p>A union of locking reads would lock as many rows in every priority as are wanted in all.
 */
final class MultiStatementClaim {
  private static final String BY_DUE = "holdfast_event_due";

  private static final String LOOK =
      "EXISTS (SELECT 1 FROM {event}%s WHERE shard = ? AND queue = ? AND status = 0 AND priority ="
          + " %d AND due_at >= ? AND due_at <= {now})";

  /**
   * Whose turn it is among those of an ordering key is found by two short searches: that nobody
   * runs, and that it is the first. The limit of the one keeps MariaDB from reading the whole index
   * once, instead of one entry for each.
   */
  private static final String LOCK =
      "SELECT "
          + EventColumns.of("e", EventColumns.CLAIMED)
          + ", {now} FROM {event} e%s WHERE e.shard = ? AND e.queue = ? AND e.status = 0 AND"
          + " e.priority = ? AND e.due_at >= ? AND e.due_at <= {now} AND e.type IN (%s)%s AND"
          + " (e.ordering_key IS NULL OR ((SELECT r.id FROM {event} r%s WHERE r.shard = e.shard AND"
          + " r.running_key = e.ordering_key%s) IS NULL AND e.id = (SELECT f.id FROM {event} f%s"
          + " WHERE f.shard = e.shard AND f.ordering_key = e.ordering_key ORDER BY f.shard,"
          + " f.ordering_key, f.position_at, f.id%s)))%s%s FOR UPDATE SKIP LOCKED";

  /** The first of an ordering key, found by the key, whatever waits in the queue. */
  private static final String FIRST =
      "SELECT "
          + EventColumns.of("e", EventColumns.CLAIMED)
          + ", {now} FROM {event} e%s WHERE e.shard = ? AND e.id = (SELECT f.id FROM {event} f%s"
          + " WHERE f.shard = ? AND f.ordering_key = ? ORDER BY f.shard, f.ordering_key,"
          + " f.position_at, f.id%s) AND e.queue = ? AND e.status = 0 AND e.due_at <= {now} AND"
          + " e.type IN (%s) AND (SELECT r.id FROM {event} r%s WHERE r.shard = ? AND r.running_key"
          + " = ?%s) IS NULL AND EXISTS (SELECT 1 FROM {instance} WHERE id = ? AND expires_at >"
          + " {now}) FOR UPDATE SKIP LOCKED";

  private static final String TAKE =
      "UPDATE {event}%s SET status = 1, version = version + 1, attempts = attempts + 1, owner = ?,"
          + " claimed_at = {now}, running_key = ordering_key WHERE id IN (%s) AND shard = ? AND"
          + " status = 0";

  /** How often to go on in a priority where events were left out. */
  private static final int MAX_ROUNDS = 10;

  private final EventStatements sql;
  private final MultiStatementSql words;
  private final String look;

  MultiStatementClaim(EventStatements sql, MultiStatementSql words) {
    this.sql = sql;
    this.words = words;
    List<String> looks = new ArrayList<>();
    for (int priority = ClaimCursor.PRIORITIES - 1; priority >= 0; priority--) {
      looks.add(LOOK.formatted(words.by(BY_DUE), priority));
    }
    this.look =
        sql.text(
            "SELECT "
                + String.join(", ", looks)
                + " FROM {instance} WHERE id = ? AND expires_at > {now}");
  }

  List<ClaimedEvent> run(Connection connection, ClaimRequest claim, ClaimCursor bounds)
      throws SQLException {
    List<ClaimedEvent> claimed = new ArrayList<>();
    ClaimLimits caps = claim.caps();
    for (int priority : prioritiesDue(connection, claim, bounds)) {
      if (claimed.size() < claim.most() && caps == null) {
        claimed.addAll(
            lock(connection, claim, priority, bounds, claim.most() - claimed.size(), List.of()));
      } else if (caps != null) {
        pick(connection, claim, caps, priority, bounds, claimed);
      }
    }
    if (caps == null) {
      claimed = PayloadByteLimit.within(claim.bytes(), claimed);
      take(connection, claim, claimed);
    }
    claimed.sort(ClaimedEvent.IN_ORDER);
    return claimed;
  }

  /**
   * Locks events, takes those that the caps leave, and goes on without the types and keys that are
   * full, until there is enough.
   */
  private void pick(
      Connection connection,
      ClaimRequest claim,
      ClaimLimits caps,
      int priority,
      ClaimCursor bounds,
      List<ClaimedEvent> claimed)
      throws SQLException {
    PayloadByteLimit room = new PayloadByteLimit(claim.bytes());
    claimed.forEach(event -> room.take(event.payload().size()));
    boolean more = true;
    for (int round = 0; more && round < MAX_ROUNDS; round++) {
      int wanted = claim.most() - claimed.size();
      ClaimRequest rest = claim.open(wanted);
      if (wanted == 0 || rest.types().isEmpty() || room.isFull()) {
        return;
      }
      List<ClaimedEvent> locked = lock(connection, rest, priority, bounds, wanted, caps.fullKeys());
      List<ClaimedEvent> picked = new ArrayList<>();
      for (ClaimedEvent event : locked) {
        if (!room.isFull() && caps.take(event.type(), event.limitKey())) {
          room.take(event.payload().size());
          picked.add(event);
        }
      }
      take(connection, claim, picked);
      claimed.addAll(picked);
      more = locked.size() == wanted;
    }
  }

  /** Claims the first of each of these ordering keys, as far as it is due before the bounds. */
  List<ClaimedEvent> first(
      Connection connection, ClaimRequest claim, List<String> orderingKeys, ClaimCursor before)
      throws SQLException {
    List<ClaimedEvent> claimed = new ArrayList<>();
    String first =
        sql.text(
            FIRST.formatted(
                words.byId(),
                words.by("holdfast_event_order"),
                words.limit(),
                MultiStatementSql.marks(claim.types().size()),
                words.by("holdfast_event_running"),
                words.limit()));
    for (String key : orderingKeys) {
      List<@Nullable Object> values = new ArrayList<>();
      values.addAll(List.of(claim.shard(), claim.shard(), key, 1, claim.queue()));
      values.addAll(claim.types());
      values.addAll(List.of(claim.shard(), key, 1, claim.owner()));
      sql.query(connection, first, row -> read(row, claim), values.toArray()).stream()
          .filter(event -> !event.dueAt().isAfter(before.dueAt(event.priority())))
          .forEach(claimed::add);
    }
    List<ClaimedEvent> taken = PayloadByteLimit.within(claim.bytes(), claimed);
    take(connection, claim, taken);
    taken.sort(ClaimedEvent.IN_ORDER);
    return taken;
  }

  /** From the highest down; none where the lease of the instance has run out. */
  private List<Integer> prioritiesDue(Connection connection, ClaimRequest claim, ClaimCursor bounds)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>();
    for (int priority = ClaimCursor.PRIORITIES - 1; priority >= 0; priority--) {
      values.add(claim.shard());
      values.add(claim.queue());
      values.add(bounds.dueAt(priority));
    }
    values.add(claim.owner());
    return sql.first(connection, look, MultiStatementClaim::priorities, values.toArray())
        .orElse(List.of());
  }

  private static List<Integer> priorities(ResultSet row) throws SQLException {
    List<Integer> due = new ArrayList<>();
    for (int column = 1; column <= ClaimCursor.PRIORITIES; column++) {
      if (row.getBoolean(column)) {
        due.add(ClaimCursor.PRIORITIES - column);
      }
    }
    return due;
  }

  private List<ClaimedEvent> lock(
      Connection connection,
      ClaimRequest claim,
      int priority,
      ClaimCursor bounds,
      int most,
      List<String> fullKeys)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(claim.shard());
    values.add(claim.queue());
    values.add(priority);
    values.add(bounds.dueAt(priority));
    values.addAll(claim.types());
    values.addAll(fullKeys);
    values.add(1);
    values.add(1);
    values.add(most);
    String lock =
        LOCK.formatted(
            words.by(BY_DUE),
            MultiStatementSql.marks(claim.types().size()),
            notFull(fullKeys.size()),
            words.by("holdfast_event_running"),
            words.limit(),
            words.by("holdfast_event_order"),
            words.limit(),
            words.inDueOrder(),
            words.limit());
    return sql.query(connection, sql.text(lock), row -> read(row, claim), values.toArray());
  }

  private static String notFull(int keys) {
    StringBuilder and = new StringBuilder();
    for (int left = keys; left > 0; left -= MultiStatementSql.MAX_LIST_LENGTH) {
      and.append(" AND (e.limit_key IS NULL OR e.limit_key NOT IN (")
          .append(MultiStatementSql.marks(Math.min(left, MultiStatementSql.MAX_LIST_LENGTH)))
          .append("))");
    }
    return and.toString();
  }

  private void take(Connection connection, ClaimRequest claim, List<ClaimedEvent> claimed)
      throws SQLException {
    int taken = 0;
    for (List<Long> ids :
        MultiStatementSql.lists(claimed.stream().map(ClaimedEvent::id).toList())) {
      List<@Nullable Object> values = new ArrayList<>();
      values.add(claim.owner());
      values.addAll(ids);
      values.add(claim.shard());
      String take = TAKE.formatted(words.byId(), MultiStatementSql.marks(ids.size()));
      taken += sql.update(connection, sql.text(take), values.toArray());
    }
    if (taken != claimed.size()) {
      throw new SQLException(
          "all locked events must be claimed, " + claimed.size() + ", were " + taken);
    }
  }

  /** As it is once it is claimed. */
  private ClaimedEvent read(ResultSet row, ClaimRequest claim) throws SQLException {
    Instant uselessAt = sql.times().get(row, 7);
    return new ClaimedEvent(
        claim.shard(),
        claim.queue(),
        row.getLong(1),
        row.getInt(2) + 1,
        row.getInt(3) + 1,
        row.getInt(4),
        row.getInt(5),
        sql.time(row, 6),
        sql.time(row, 15),
        uselessAt,
        uselessAt == null ? null : Duration.between(sql.time(row, 16), uselessAt),
        System.nanoTime(),
        row.getString(8),
        row.getString(9),
        row.getString(10),
        row.getString(11),
        row.getString(12),
        new StoredPayload(row.getString(13), row.getBytes(14)));
  }
}
