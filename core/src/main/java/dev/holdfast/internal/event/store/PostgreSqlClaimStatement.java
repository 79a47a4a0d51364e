package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The claim, in one statement.
 *
 * <p>One branch for each priority, the highest first: within a branch the index is in due order, so
 * future events cost nothing, whatever their priority. The outer limit ends the branches as soon as
 * there is enough, and rows are locked only as far as they are read. The row count is exact,
 * because the rows are found once and for all ({@code MATERIALIZED}) before they are changed.
 */
final class PostgreSqlClaimStatement {
  /** Known without reading the payload, wherever it is stored. */
  private static final String SIZE =
      "COALESCE(octet_length(payload), 0) + COALESCE(octet_length(payload_bytes), 0) AS size";

  /**
   * Whose turn it is among those of an ordering key is found by two short searches: that nobody
   * runs, and that it is the first. As one search, for one that runs or is before it, each reads
   * half of the key's events.
   */
  private static final String BRANCH =
      "SELECT %1$s FROM (SELECT id, type, limit_key, "
          + SIZE
          + " FROM {event} e WHERE shard = ? AND queue = ? AND status = 0 AND priority = %2$d AND"
          + " due_at <= {now} AND (due_at, id) >= (?, ?) AND type = ANY(?)%3$s AND (ordering_key IS"
          + " NULL OR (NOT EXISTS (SELECT 1 FROM {event} r WHERE r.shard = e.shard AND"
          + " r.ordering_key = e.ordering_key AND r.status = 1) AND e.id = (SELECT f.id FROM"
          + " {event} f WHERE f.shard = e.shard AND f.ordering_key = e.ordering_key ORDER BY"
          + " f.position_at, f.id LIMIT 1))) ORDER BY due_at, id LIMIT %4$d FOR UPDATE SKIP LOCKED)"
          + " p%2$d";

  /** The first of each of some ordering keys, found by the key, whatever waits in the queue. */
  private static final String FIRST =
      "SELECT id, "
          + SIZE
          + " FROM {event} e WHERE shard = ? AND queue = ? AND status <> 1 AND due_at <= {now}"
          + " AND due_at <= CASE priority%s END AND type = ANY(?) AND id = ANY(ARRAY(SELECT (SELECT"
          + " f.id FROM {event} f WHERE f.shard = ? AND f.ordering_key = k.name ORDER BY"
          + " f.position_at, f.id LIMIT 1) FROM unnest(?::varchar[]) AS k(name))) AND NOT EXISTS"
          + " (SELECT 1 FROM {event} r WHERE r.shard = e.shard AND r.ordering_key = e.ordering_key"
          + " AND r.status = 1) FOR UPDATE SKIP LOCKED";

  /**
   * How many a branch may find at most, as a number in the text: of a parameter the planner assumes
   * a tenth of the table, and then plans every single claim of a long queue anew, which takes
   * longer than the claim. The outer limit says how many it really is.
   */
  private static final int[] MAX = {100, 1000, Integer.MAX_VALUE};

  /** With status <> 1, because status = 0 would let the planner read all that are pending. */
  private static final String CLAIM =
      "WITH %2$sfound AS MATERIALIZED (SELECT id, size FROM (%1$s) d WHERE EXISTS (SELECT 1 FROM"
          + " {instance} WHERE id = ? AND expires_at > {now})%3$s LIMIT ?), due AS MATERIALIZED"
          + " (SELECT id FROM (SELECT id, sum(size) OVER (ROWS UNBOUNDED PRECEDING) - size AS"
          + " before FROM found) f WHERE before < ?) UPDATE {event} e SET status = 1, version ="
          + " e.version + 1, attempts = e.attempts + 1, owner = ?, claimed_at = {now} WHERE e.shard"
          + " = ? AND e.id = ANY(ARRAY(SELECT id FROM due)) AND e.status <> 1 RETURNING "
          + EventColumns.of("e", EventColumns.CLAIMED)
          + ", e.claimed_at";

  /** Until when a rate is used with so many more; as in {@link RateBudget}. */
  private static final String USED =
      "CASE WHEN next_at BETWEEN {now} AND {now} + 2 * period_micros * interval '1 microsecond'"
          + " THEN next_at ELSE {now} END + ?::double precision * period_micros / rate * interval"
          + " '1 microsecond'";

  /**
   * Takes as many of a limit as are wanted, where it surely leaves several times as many. Being an
   * update it waits for others who do, though not for long, and then looks at what they have left.
   */
  private static final String SLOT =
      "slot AS MATERIALIZED (UPDATE {limit} SET at_most = at_most + ?, next_at = CASE WHEN rate IS"
          + " NULL THEN next_at ELSE "
          + USED
          + " END WHERE kind = ? AND name = ? AND "
          + LimitStatements.BOUNDED
          + " AND (most_running IS NULL OR (at_most + ? <= most_running AND counted_at > {now} -"
          + " interval '1 second')) AND (rate IS NULL OR "
          + USED
          + " <= {now} + period_micros * interval '1 microsecond')"
          + " RETURNING 1), ";

  /** As the first part of the claim, for choosing among them before they are changed. */
  private static final String LOCK =
      "SELECT id, type, limit_key, size FROM (%s) d WHERE EXISTS (SELECT 1 FROM {instance} WHERE id"
          + " = ? AND expires_at > {now}) LIMIT ?";

  private static final String TAKE =
      "UPDATE {event} e SET status = 1, version = e.version + 1, attempts = e.attempts + 1, owner ="
          + " ?, claimed_at = {now} WHERE e.shard = ? AND e.id = ANY(?::bigint[]) AND e.status <> 1"
          + " RETURNING "
          + EventColumns.of("e", EventColumns.CLAIMED)
          + ", e.claimed_at";

  /** How often to go on where events were left out. */
  private static final int MAX_ROUNDS = 10;

  private final EventStatements sql;
  private final List<String> claims = new ArrayList<>();
  private final List<String> claimsUnder = new ArrayList<>();
  private final List<String> locks = new ArrayList<>();
  private final String take;
  private final String first;

  PostgreSqlClaimStatement(EventStatements sql) {
    this.sql = sql;
    String notFull = " AND (limit_key IS NULL OR limit_key <> ALL(?))";
    for (int most : MAX) {
      String due = branches("id, size", "", most);
      claims.add(sql.text(CLAIM.formatted(due, "", "")));
      claimsUnder.add(sql.text(CLAIM.formatted(due, SLOT, " AND EXISTS (SELECT 1 FROM slot)")));
      locks.add(sql.text(LOCK.formatted(branches("id, type, limit_key, size", notFull, most))));
    }
    this.take = sql.text(TAKE);
    StringBuilder until = new StringBuilder();
    for (int priority = 0; priority < ClaimCursor.PRIORITIES; priority++) {
      until.append(" WHEN ").append(priority).append(" THEN ?::timestamptz");
    }
    this.first = sql.text(CLAIM.formatted(FIRST.formatted(until), "", ""));
  }

  private static String branches(String columns, String and, int most) {
    List<String> branches = new ArrayList<>();
    for (int priority = ClaimCursor.PRIORITIES - 1; priority >= 0; priority--) {
      branches.add(BRANCH.formatted(columns, priority, and, most));
    }
    return String.join(" UNION ALL ", branches);
  }

  private static String ofSize(List<String> statements, int most) {
    int size = 0;
    while (MAX[size] < most) {
      size++;
    }
    return statements.get(size);
  }

  List<ClaimedEvent> run(Connection connection, ClaimRequest claim, ClaimCursor bounds)
      throws SQLException {
    if (claim.caps() != null) {
      return pick(connection, claim, claim.caps(), bounds);
    }
    try (PreparedStatement claiming = connection.prepareStatement(ofSize(claims, claim.most()))) {
      bindClaim(connection, claiming, 1, claim, bounds);
      return read(claiming, claim);
    }
  }

  /** Claims where the limit leaves plenty, else nothing. */
  List<ClaimedEvent> runUnder(
      Connection connection, ClaimRequest claim, ClaimCursor bounds, QueueLimit limit)
      throws SQLException {
    try (PreparedStatement claiming =
        connection.prepareStatement(ofSize(claimsUnder, claim.most()))) {
      long plenty = (long) LimitBudget.PLENTY * claim.most();
      claiming.setInt(1, claim.most());
      claiming.setInt(2, claim.most());
      claiming.setString(3, LimitStatements.kind(limit.target()));
      claiming.setString(4, limit.target().name());
      claiming.setLong(5, plenty);
      claiming.setLong(6, plenty);
      bindClaim(connection, claiming, 7, claim, bounds);
      return read(claiming, claim);
    } catch (SQLException e) {
      throw LimitStatements.lockedOr(limit, e);
    }
  }

  /** Claims the first of each of these ordering keys, as far as it is due before the bounds. */
  List<ClaimedEvent> first(
      Connection connection, ClaimRequest claim, List<String> orderingKeys, ClaimCursor before)
      throws SQLException {
    try (PreparedStatement claiming = connection.prepareStatement(first)) {
      int index = 1;
      claiming.setInt(index++, claim.shard());
      claiming.setString(index++, claim.queue());
      for (int priority = 0; priority < ClaimCursor.PRIORITIES; priority++) {
        sql.times().set(claiming, index++, before.dueAt(priority));
      }
      claiming.setArray(index++, connection.createArrayOf("varchar", claim.types().toArray()));
      claiming.setInt(index++, claim.shard());
      claiming.setArray(index++, connection.createArrayOf("varchar", orderingKeys.toArray()));
      bindOwner(claiming, index, claim);
      return read(claiming, claim);
    }
  }

  private void bindClaim(
      Connection connection,
      PreparedStatement claiming,
      int first,
      ClaimRequest claim,
      ClaimCursor bounds)
      throws SQLException {
    bindOwner(claiming, bind(connection, claiming, first, claim, bounds, null), claim);
  }

  private static void bindOwner(PreparedStatement claiming, int from, ClaimRequest claim)
      throws SQLException {
    int index = from;
    claiming.setLong(index++, claim.owner());
    claiming.setInt(index++, claim.most());
    claiming.setLong(index++, claim.bytes());
    claiming.setLong(index++, claim.owner());
    claiming.setInt(index, claim.shard());
  }

  private List<ClaimedEvent> read(PreparedStatement claiming, ClaimRequest claim)
      throws SQLException {
    try (ResultSet row = claiming.executeQuery()) {
      List<ClaimedEvent> claimed = new ArrayList<>();
      while (row.next()) {
        claimed.add(read(row, claim));
      }
      claimed.sort(ClaimedEvent.IN_ORDER);
      return claimed;
    }
  }

  /**
   * Locks events, takes those that the caps leave, and goes on without the types and keys that are
   * full, until there is enough.
   */
  private List<ClaimedEvent> pick(
      Connection connection, ClaimRequest claim, ClaimLimits caps, ClaimCursor bounds)
      throws SQLException {
    List<ClaimedEvent> claimed = new ArrayList<>();
    PayloadByteLimit room = new PayloadByteLimit(claim.bytes());
    boolean more = true;
    for (int round = 0; more && round < MAX_ROUNDS; round++) {
      int wanted = claim.most() - claimed.size();
      ClaimRequest rest = claim.open(wanted);
      if (wanted == 0 || rest.types().isEmpty() || room.isFull()) {
        break;
      }
      List<Long> picked = new ArrayList<>();
      int locked = lock(connection, rest, caps, room, bounds, picked);
      claimed.addAll(take(connection, claim, picked));
      more = locked == wanted;
    }
    claimed.sort(ClaimedEvent.IN_ORDER);
    return claimed;
  }

  private int lock(
      Connection connection,
      ClaimRequest claim,
      ClaimLimits caps,
      PayloadByteLimit room,
      ClaimCursor bounds,
      List<Long> picked)
      throws SQLException {
    int locked = 0;
    try (PreparedStatement locking = connection.prepareStatement(ofSize(locks, claim.most()))) {
      Array full = connection.createArrayOf("varchar", caps.fullKeys().toArray());
      int index = bind(connection, locking, 1, claim, bounds, full);
      locking.setLong(index++, claim.owner());
      locking.setInt(index, claim.most());
      try (ResultSet row = locking.executeQuery()) {
        while (row.next()) {
          locked++;
          if (!room.isFull() && caps.take(row.getString(2), row.getString(3))) {
            room.take(row.getLong(4));
            picked.add(row.getLong(1));
          }
        }
      }
    }
    return locked;
  }

  private List<ClaimedEvent> take(Connection connection, ClaimRequest claim, List<Long> picked)
      throws SQLException {
    try (PreparedStatement taking = connection.prepareStatement(take)) {
      taking.setLong(1, claim.owner());
      taking.setInt(2, claim.shard());
      taking.setObject(3, picked.stream().mapToLong(Long::longValue).sorted().toArray());
      List<ClaimedEvent> taken = read(taking, claim);
      if (taken.size() != picked.size()) {
        throw new SQLException(
            "all locked events must be claimed, " + picked.size() + ", were " + taken.size());
      }
      return taken;
    }
  }

  /** Binds the branches; answers which parameter comes next. */
  private int bind(
      Connection connection,
      PreparedStatement claiming,
      int first,
      ClaimRequest claim,
      ClaimCursor bounds,
      @Nullable Array fullKeys)
      throws SQLException {
    var types = connection.createArrayOf("varchar", claim.types().toArray());
    int index = first;
    for (int priority = ClaimCursor.PRIORITIES - 1; priority >= 0; priority--) {
      claiming.setInt(index++, claim.shard());
      claiming.setString(index++, claim.queue());
      sql.times().set(claiming, index++, bounds.dueAt(priority));
      claiming.setLong(index++, bounds.id(priority));
      claiming.setArray(index++, types);
      if (fullKeys != null) {
        claiming.setArray(index++, fullKeys);
      }
    }
    return index;
  }

  private ClaimedEvent read(ResultSet row, ClaimRequest claim) throws SQLException {
    Instant uselessAt = sql.times().get(row, 7);
    return new ClaimedEvent(
        claim.shard(),
        claim.queue(),
        row.getLong(1),
        row.getInt(2),
        row.getInt(3),
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
