package dev.holdfast.event.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The claim, in one statement.
 *
 * <p>One branch for each priority, the highest first: within a branch the index is in due order, so
 * future events cost nothing, whatever their priority. The outer limit ends the branches as soon as
 * there is enough, and rows are locked only as far as they are read. The row count is exact,
 * because the rows are found once and for all ({@code MATERIALIZED}) before they are changed.
 */
final class PostgreSqlClaim {
  private static final String BRANCH =
      "SELECT id FROM (SELECT id FROM {event} e WHERE shard = ? AND queue = ? AND status = 0 AND"
          + " priority = %d AND due_at <= {now} AND (due_at, id) >= (?, ?) AND type = ANY(?) AND"
          + " (ordering_key IS NULL OR NOT EXISTS (SELECT 1 FROM {event} o WHERE o.shard = e.shard"
          + " AND o.ordering_key = e.ordering_key AND (o.status = 1 OR (o.position_at, o.id) <"
          + " (e.position_at, e.id)))) ORDER BY due_at, id LIMIT %d FOR UPDATE SKIP LOCKED) p%d";

  /**
   * How many a branch may find at most, as a number in the text: of a parameter the planner assumes
   * a tenth of the table, and then plans every single claim of a long queue anew, which takes
   * longer than the claim. The outer limit says how many it really is.
   */
  private static final int[] MOST = {100, 1000, Integer.MAX_VALUE};

  /** With status <> 1, because status = 0 would let the planner read all that are pending. */
  private static final String CLAIM =
      "WITH due AS MATERIALIZED (SELECT id FROM (%s) d WHERE EXISTS (SELECT 1 FROM {instance} WHERE"
          + " id = ? AND expires_at > {now}) LIMIT ?) UPDATE {event} e SET status = 1, version ="
          + " e.version + 1, attempts = e.attempts + 1, owner = ?, claimed_at = {now} WHERE e.shard = ? AND"
          + " e.id = ANY(ARRAY(SELECT id FROM due)) AND e.status <> 1 RETURNING "
          + EventColumns.of("e", EventColumns.CLAIMED)
          + ", e.claimed_at";

  private final EventSql sql;
  private final List<String> statements = new ArrayList<>();

  PostgreSqlClaim(EventSql sql) {
    this.sql = sql;
    for (int most : MOST) {
      statements.add(sql.text(CLAIM.formatted(branches(most))));
    }
  }

  private static String branches(int most) {
    List<String> branches = new ArrayList<>();
    for (int priority = ClaimBounds.PRIORITIES - 1; priority >= 0; priority--) {
      branches.add(BRANCH.formatted(priority, most, priority));
    }
    return String.join(" UNION ALL ", branches);
  }

  private String statement(int most) {
    int size = 0;
    while (MOST[size] < most) {
      size++;
    }
    return statements.get(size);
  }

  List<Claimed> run(Connection connection, Claim claim, ClaimBounds bounds) throws SQLException {
    try (PreparedStatement claiming = connection.prepareStatement(statement(claim.most()))) {
      bind(connection, claiming, claim, bounds);
      try (ResultSet row = claiming.executeQuery()) {
        List<Claimed> claimed = new ArrayList<>();
        while (row.next()) {
          claimed.add(read(row, claim));
        }
        claimed.sort(Claimed.IN_ORDER);
        return claimed;
      }
    }
  }

  private void bind(
      Connection connection, PreparedStatement claiming, Claim claim, ClaimBounds bounds)
      throws SQLException {
    var types = connection.createArrayOf("varchar", claim.types().toArray());
    int index = 1;
    for (int priority = ClaimBounds.PRIORITIES - 1; priority >= 0; priority--) {
      claiming.setInt(index++, claim.shard());
      claiming.setString(index++, claim.queue());
      sql.times().set(claiming, index++, bounds.dueAt(priority));
      claiming.setLong(index++, bounds.id(priority));
      claiming.setArray(index++, types);
    }
    claiming.setLong(index++, claim.owner());
    claiming.setInt(index++, claim.most());
    claiming.setLong(index++, claim.owner());
    claiming.setInt(index, claim.shard());
  }

  private Claimed read(ResultSet row, Claim claim) throws SQLException {
    Instant uselessAt = sql.times().get(row, 7);
    return new Claimed(
        claim.shard(),
        claim.queue(),
        row.getLong(1),
        row.getInt(2),
        row.getInt(3),
        row.getInt(4),
        row.getInt(5),
        sql.time(row, 6),
        uselessAt,
        uselessAt != null && !uselessAt.isAfter(sql.time(row, 14)),
        row.getString(8),
        row.getString(9),
        row.getString(10),
        row.getString(11),
        new Payload(row.getString(12), row.getBytes(13)));
  }
}
