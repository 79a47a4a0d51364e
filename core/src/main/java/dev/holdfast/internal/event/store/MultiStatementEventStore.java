package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventStatus;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Events on databases that cannot change rows inside a query: a step is several statements. */
abstract class MultiStatementEventStore extends AbstractEventStore {
  /** A key that is taken by the running transaction, whose event has no id yet. */
  static final long NO_EVENT_YET = 0;

  private final MultiStatementSql words;
  private final MultiRowInsert inserts;
  private final MultiStatementClaim claim;
  private final MultiStatementCompletion end;

  MultiStatementEventStore(EventStatements sql, MultiStatementSql words, Dialect dialect) {
    super(
        sql,
        new LimitStatements(
            sql, "", words.by("holdfast_event_due"), words.by("holdfast_event_owner")),
        words.limit(),
        words.by("holdfast_event_history_ended"));
    this.words = words;
    this.inserts = new MultiRowInsert(sql, dialect);
    this.claim = new MultiStatementClaim(sql, words);
    this.end = new MultiStatementCompletion(sql, words);
  }

  @Override
  public final boolean stepsAreStatements() {
    return false;
  }

  @Override
  public final NotificationSupport signals() {
    return NotificationSupport.NONE;
  }

  @Override
  public final List<Long> insert(Connection connection, int shard, List<NewEvent> events)
      throws SQLException {
    return inserts.events(connection, shard, events);
  }

  /**
   * The key first, because most who fail do so there, and an event that is not inserted needs not
   * be removed again. The id comes after: until the transaction ends nobody else sees the key.
   */
  @Override
  public final OptionalLong insertKeyed(
      Connection connection, int shard, NewEvent event, String fingerprint) throws SQLException {
    return takeKey(connection, shard, String.valueOf(event.key()), fingerprint)
        ? OptionalLong.of(insertOwner(connection, shard, event, fingerprint, NO_EVENT_YET))
        : OptionalLong.empty();
  }

  /**
   * Takes a key with {@link #NO_EVENT_YET} as its id, if it is free; waits for others who are about
   * to.
   */
  abstract boolean takeKey(Connection connection, int shard, String key, String fingerprint)
      throws SQLException;

  @Override
  public final OptionalLong takeOver(
      Connection connection, int shard, NewEvent event, String fingerprint, long formerId)
      throws SQLException {
    String lock =
        "SELECT id FROM {event_key} WHERE shard = ? AND event_key = ? AND id = ? FOR UPDATE";
    return sql.first(connection, text(lock), row -> row.getLong(1), shard, event.key(), formerId)
            .isPresent()
        ? OptionalLong.of(insertOwner(connection, shard, event, fingerprint, formerId))
        : OptionalLong.empty();
  }

  private long insertOwner(
      Connection connection, int shard, NewEvent event, String fingerprint, long formerId)
      throws SQLException {
    long id = insert(connection, shard, List.of(event)).get(0);
    int changed =
        sql.update(
            connection,
            text(
                "UPDATE {event_key} SET id = ?, fingerprint = ? WHERE shard = ? AND event_key = ?"
                    + " AND id = ?"),
            id,
            fingerprint,
            shard,
            event.key(),
            formerId);
    if (changed != 1) {
      throw new SQLException("one key must get its event, were " + changed);
    }
    return id;
  }

  @Override
  public final List<ClaimedEvent> claim(
      Connection connection, ClaimRequest wanted, ClaimCursor bounds) throws SQLException {
    return claim.run(connection, wanted, bounds);
  }

  @Override
  public final List<ClaimedEvent> claimFirst(
      Connection connection, ClaimRequest wanted, List<String> orderingKeys, ClaimCursor before)
      throws SQLException {
    return claim.first(connection, wanted, orderingKeys, before);
  }

  @Override
  public final Set<Long> end(Connection connection, int shard, Collection<CompletionUpdate> endings)
      throws SQLException {
    return end.end(connection, shard, endings);
  }

  @Override
  public final Set<Long> putBack(Connection connection, int shard, Collection<Requeue> events)
      throws SQLException {
    return end.putBack(connection, shard, events);
  }

  /**
   * Nobody sees it as claimed in between: its running key stays empty, and the step is one
   * transaction.
   */
  @Override
  public final boolean cancelPending(
      Connection connection, int shard, long id, int version, String reason) throws SQLException {
    int locked =
        sql.update(
            connection,
            text(
                "UPDATE {event} SET status = 1, version = version + 1 WHERE shard = ? AND id = ?"
                    + " AND version = ? AND status = 0"),
            shard,
            id,
            version);
    return locked == 1
        && !end(
                connection,
                shard,
                List.of(new CompletionUpdate(id, version + 1, EventStatus.CANCELLED, reason)))
            .isEmpty();
  }

  @Override
  public final long register(Connection connection, String name, Duration lease)
      throws SQLException {
    String insert =
        "INSERT INTO {instance} (name, started_at, expires_at, stopped) VALUES (?, {now}, {now+},"
            + " FALSE)";
    return inserts.rows(connection, insert, 1, name, micros(lease)).get(0);
  }

  @Override
  public final int rescue(Connection connection, int shard, Collection<Long> expired, int most)
      throws SQLException {
    List<Long> lost = new ArrayList<>();
    for (List<Long> owners : MultiStatementSql.lists(expired)) {
      if (lost.size() < most) {
        lost.addAll(lock(connection, shard, owners, most - lost.size()));
      }
    }
    recover(connection, shard, lost);
    return lost.size();
  }

  private List<Long> lock(Connection connection, int shard, List<Long> owners, int most)
      throws SQLException {
    List<@Nullable Object> values = new ArrayList<>();
    values.add(shard);
    values.addAll(owners);
    values.add(most);
    return sql.query(
        connection,
        text(
            "SELECT id FROM {event} WHERE shard = ? AND owner IN ("
                + MultiStatementSql.marks(owners.size())
                + ") AND status = 1 ORDER BY id"
                + words.limit()
                + " FOR UPDATE SKIP LOCKED"),
        row -> row.getLong(1),
        values.toArray());
  }

  /**
   * Only after a first crash is it noted when an event is begun; one that was not begun gets its
   * attempt back. The attempts first: MariaDB and MySQL see what was set before.
   */
  private static final String RECOVERED =
      " SET attempts = attempts - CASE WHEN crashes = 0 OR begun = version THEN 0 ELSE 1 END,"
          + " crashes = crashes + CASE WHEN crashes = 0 OR begun = version THEN 1 ELSE 0 END,"
          + " begun = CASE WHEN begun = version THEN "
          + BEGUN_AND_CRASHED
          + " ELSE begun END, version = version + 1, error = ?, status = 0, running_key = NULL,"
          + " owner = NULL";

  /** Makes locked events pending again. */
  private void recover(Connection connection, int shard, List<Long> events) throws SQLException {
    for (List<Long> ids : MultiStatementSql.lists(events)) {
      List<@Nullable Object> values = new ArrayList<>();
      values.add(STOPPED);
      values.addAll(ids);
      values.add(shard);
      int changed =
          sql.update(
              connection,
              text(
                  "UPDATE {event}"
                      + words.byId()
                      + RECOVERED
                      + " WHERE id IN ("
                      + MultiStatementSql.marks(ids.size())
                      + ") AND shard = ? AND status = 1"),
              values.toArray());
      if (changed != ids.size()) {
        throw new SQLException(
            "all locked events must be recovered, " + ids.size() + ", were " + changed);
      }
    }
  }

  @Override
  public final HistoryPartitions historyDays() {
    return HistoryPartitions.NONE;
  }

  @Override
  public final int forgetEnded(Connection connection, int shard, Duration kept, int most)
      throws SQLException {
    return end.forget(connection, shard, kept, most);
  }

  @Override
  public final boolean pause(Connection connection, String kind, String name) throws SQLException {
    try {
      return sql.update(
              connection,
              text("INSERT INTO {pause} (kind, name, paused_at) VALUES (?, ?, {now})"),
              kind,
              name)
          == 1;
    } catch (SQLException e) {
      // the transaction goes on: only the statement is undone
      if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
        return false;
      }
      throw e;
    }
  }
}
