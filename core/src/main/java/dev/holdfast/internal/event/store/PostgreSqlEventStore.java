package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventStatus;
import dev.holdfast.event.QueueLimit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Events on PostgreSQL: each step is one statement, of arrays where there are many events. */
final class PostgreSqlEventStore extends AbstractEventStore {
  private static final String INSERT_VALUES =
      " 0, 1, 0, 0, FALSE, {now}, v.due_at, v.due_at, v.priority, v.queue, v.type, v.event_key,"
          + " v.ordering_key, v.limit_key, v.tags, v.useless_at, v.replay_of, v.payload,"
          + " v.payload_bytes";

  /**
   * A condition that is always true, and bounds how long the server waits for the COMMIT that comes
   * next: its process may be suspended or cut off.
   */
  private static final String COMMITS_SOON =
      "(SELECT set_config('idle_in_transaction_session_timeout', '15000', TRUE)) IS NOT NULL";

  private static final String INSERT_COLUMNS =
      "status, version, attempts, crashes, cancel_requested, created_at, due_at, position_at,"
          + " priority, queue, type, event_key, ordering_key, limit_key, tags, useless_at,"
          + " replay_of, payload, payload_bytes";

  private final PostgreSqlClaimStatement claim;
  private final String insertMany;
  private final String insertKeyed;
  private final String takeOver;
  private final String end;
  private final String endInTransaction;
  private final String cancel;
  private final String putBack;
  private final PostgreSqlRecovery rescue;
  private final String forgetEnded;
  private final HistoryPartitions historyDays;

  PostgreSqlEventStore(String prefix) {
    this(sql(prefix));
  }

  static EventStatements sql(String prefix) {
    return new EventStatements(
        prefix,
        "statement_timestamp()",
        "(statement_timestamp() + ? * interval '1 microsecond')",
        EventStatements.WITH_OFFSET);
  }

  private PostgreSqlEventStore(EventStatements sql) {
    super(
        sql,
        new LimitStatements(sql, " ON CONFLICT (kind, name) DO NOTHING RETURNING kind", "", ""),
        " LIMIT ?",
        "");
    this.historyDays = new PostgreSqlHistoryPartitions(sql);
    this.claim = new PostgreSqlClaimStatement(sql);
    this.insertMany =
        text(
            "WITH v AS MATERIALIZED (SELECT nextval('{event_id}') AS id, n, COALESCE(at, {now} +"
                + " after * interval '1 microsecond') AS due_at, priority, queue, type,"
                + " NULL::varchar AS event_key, ordering_key, limit_key, tags, useless_at,"
                + " replay_of, payload, payload_bytes FROM unnest(?::timestamptz[], ?::bigint[],"
                + " ?::integer[], ?::varchar[], ?::varchar[], ?::varchar[], ?::varchar[],"
                + " ?::varchar[], ?::timestamptz[], ?::varchar[], ?::text[], ?::bytea[]) WITH"
                + " ORDINALITY AS u(at, after, priority, queue, type, ordering_key, limit_key,"
                + " tags, useless_at, replay_of, payload, payload_bytes, n)), inserted AS (INSERT"
                + " INTO {event} (shard, id, "
                + INSERT_COLUMNS
                + ") SELECT ?, v.id,"
                + INSERT_VALUES
                + " FROM v) SELECT id FROM v ORDER BY n");
    String one =
        " FROM (SELECT COALESCE(?::timestamptz, {now} + ?::bigint * interval '1 microsecond') AS"
            + " due_at, ?::smallint AS priority, ?::varchar AS queue, ?::varchar AS type,"
            + " ?::varchar AS event_key, ?::varchar AS ordering_key, ?::varchar AS limit_key,"
            + " ?::varchar AS tags, ?::timestamptz AS useless_at, ?::varchar AS replay_of, ?::text"
            + " AS payload, ?::bytea AS payload_bytes) v, k";
    this.insertKeyed =
        text(
            "WITH k AS (INSERT INTO {event_key} (shard, event_key, id, fingerprint, created_at)"
                + " VALUES (?, ?, nextval('{event_id}'), ?, {now}) ON CONFLICT (shard, event_key)"
                + " DO NOTHING RETURNING id) INSERT INTO {event} (shard, id, "
                + INSERT_COLUMNS
                + ") SELECT ?, k.id,"
                + INSERT_VALUES
                + one
                + " RETURNING id");
    this.takeOver =
        text(
            "WITH f AS (SELECT nextval('{event_id}') AS id), k AS (UPDATE {event_key} t SET id ="
                + " f.id, fingerprint = ? FROM f WHERE t.shard = ? AND t.event_key = ? AND t.id = ?"
                + " RETURNING t.id) INSERT INTO {event} (shard, id, "
                + INSERT_COLUMNS
                + ") SELECT ?, k.id,"
                + INSERT_VALUES
                + one
                + " RETURNING id");
    // by ANY, never by a join: for a join the planner, where it knows the table as small or empty,
    // compares each row with each; and with status <> 0, because for status = 1 it takes the index
    // of the claimed events, which it believes to be few, and reads all of them
    this.end =
        text(
            "WITH gone AS (DELETE FROM {event} e WHERE e.shard = ? AND e.id = ANY(?::bigint[]) AND"
                + " e.version = ? AND e.status <> 0 AND "
                + LimitStatements.BOUNDED
                + " RETURNING "
                + EventColumns.of("e", EventColumns.MOVED)
                + ") INSERT INTO {event_history} AS h ("
                + EventColumns.MOVED
                + ", status, error, ended_at) SELECT "
                + EventColumns.MOVED
                + ", ?, ?, {now} FROM gone RETURNING h.id");
    this.endInTransaction = end.replace(LimitStatements.BOUNDED, COMMITS_SOON);
    // never by way of PROCESSING: of an ordering key only one may be there
    this.cancel =
        text(
            "WITH gone AS (DELETE FROM {event} e WHERE e.shard = ? AND e.id = ? AND e.version = ?"
                + " AND e.status <> 1 RETURNING "
                + EventColumns.of("e", EventColumns.MOVED)
                + ") INSERT INTO {event_history} ("
                + EventColumns.MOVED
                + ", status, error, ended_at) SELECT "
                + EventColumns.MOVED.replace("version", "version + 1")
                + ", ?, ?, {now} FROM gone RETURNING id");
    this.putBack =
        text(
            "UPDATE {event} SET status = 0, version = version + 1, attempts = attempts + ?, crashes"
                + " = crashes * ?, due_at = COALESCE(?, due_at), owner = NULL, cancel_requested ="
                + " FALSE, error = COALESCE(?, error) WHERE shard = ? AND id = ANY(?::bigint[]) AND"
                + " version = ? AND status <> 0 AND "
                + LimitStatements.BOUNDED
                + " RETURNING id");
    this.rescue = new PostgreSqlRecovery(sql);
    this.forgetEnded =
        text(
            "WITH old AS MATERIALIZED (SELECT id FROM {event_history_rest} WHERE shard = ? AND"
                + " ended_at < {now+} ORDER BY ended_at LIMIT ? FOR UPDATE SKIP LOCKED) DELETE FROM"
                + " {event_history_rest} WHERE shard = ? AND id = ANY(ARRAY(SELECT id FROM old))"
                + " AND ended_at < {now+}");
  }

  @Override
  public boolean stepsAreStatements() {
    return true;
  }

  @Override
  public NotificationSupport signals() {
    return NotificationSupport.OF_POSTGRESQL;
  }

  @Override
  public List<Long> insert(Connection connection, int shard, List<NewEvent> events)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insertMany)) {
      PostgreSqlArrays arrays = new PostgreSqlArrays(connection, statement);
      arrays.times(1, events, NewEvent::at);
      arrays.longs(2, events, PostgreSqlEventStore::delay);
      arrays.ints(3, events, NewEvent::priority);
      arrays.set(4, "varchar", events, NewEvent::queue);
      arrays.set(5, "varchar", events, NewEvent::type);
      arrays.set(6, "varchar", events, NewEvent::orderingKey);
      arrays.set(7, "varchar", events, NewEvent::limitKey);
      arrays.set(8, "varchar", events, NewEvent::tags);
      arrays.times(9, events, NewEvent::uselessAt);
      arrays.set(10, "varchar", events, NewEvent::replayOf);
      arrays.set(11, "text", events, event -> event.payload().text());
      arrays.bytes(12, events, event -> event.payload().bytes());
      statement.setInt(13, shard);
      return ids(statement);
    }
  }

  /** At once is after no time; where {@code at} is given it counts. */
  private static long delay(NewEvent event) {
    Long micros = micros(event.after());
    return micros == null ? 0 : micros;
  }

  @Override
  public OptionalLong insertKeyed(
      Connection connection, int shard, NewEvent event, String fingerprint) throws SQLException {
    return id(
        sql.query(
            connection,
            insertKeyed,
            row -> row.getLong(1),
            values(event, shard, event.key(), fingerprint, shard)));
  }

  @Override
  public OptionalLong takeOver(
      Connection connection, int shard, NewEvent event, String fingerprint, long formerId)
      throws SQLException {
    return id(
        sql.query(
            connection,
            takeOver,
            row -> row.getLong(1),
            values(event, fingerprint, shard, event.key(), formerId, shard)));
  }

  private static @Nullable Object[] values(NewEvent event, @Nullable Object... before) {
    List<@Nullable Object> all = new ArrayList<>(java.util.Arrays.asList(before));
    all.add(event.at());
    all.add(delay(event));
    all.add(event.priority());
    all.add(event.queue());
    all.add(event.type());
    all.add(event.key());
    all.add(event.orderingKey());
    all.add(event.limitKey());
    all.add(event.tags());
    all.add(event.uselessAt());
    all.add(event.replayOf());
    all.add(event.payload().text());
    all.add(event.payload().bytes());
    return all.toArray();
  }

  private static OptionalLong id(List<Long> ids) {
    return ids.isEmpty() ? OptionalLong.empty() : OptionalLong.of(ids.get(0));
  }

  @Override
  public Optional<List<ClaimedEvent>> claimUnder(
      Connection connection, ClaimRequest wanted, ClaimCursor bounds, QueueLimit limit)
      throws SQLException {
    return Optional.of(claim.runUnder(connection, wanted, bounds, limit));
  }

  @Override
  public List<ClaimedEvent> claim(Connection connection, ClaimRequest wanted, ClaimCursor bounds)
      throws SQLException {
    return claim.run(connection, wanted, bounds);
  }

  @Override
  public List<ClaimedEvent> claimFirst(
      Connection connection, ClaimRequest wanted, List<String> orderingKeys, ClaimCursor before)
      throws SQLException {
    return claim.first(connection, wanted, orderingKeys, before);
  }

  /** What endings must have in common to be one statement. */
  private record EndGroup(int version, EventStatus status, @Nullable String error) {}

  @Override
  public Set<Long> end(Connection connection, int shard, Collection<CompletionUpdate> endings)
      throws SQLException {
    String text = connection.getAutoCommit() ? end : endInTransaction;
    Map<EndGroup, List<Long>> groups = new HashMap<>();
    for (CompletionUpdate ending : endings) {
      groups
          .computeIfAbsent(
              new EndGroup(ending.version(), ending.status(), ending.error()),
              ignored -> new ArrayList<>())
          .add(ending.id());
    }
    Set<Long> ended = new HashSet<>();
    for (Map.Entry<EndGroup, List<Long>> group : groups.entrySet()) {
      try (PreparedStatement statement = connection.prepareStatement(text)) {
        statement.setInt(1, shard);
        statement.setObject(2, inOrder(group.getValue()));
        statement.setInt(3, group.getKey().version);
        statement.setInt(4, StatusCode.of(group.getKey().status));
        statement.setString(5, group.getKey().error);
        ended.addAll(ids(statement));
      }
    }
    return ended;
  }

  /** Everybody who changes several events takes them in this order. */
  private static long[] inOrder(List<Long> ids) {
    return ids.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  /** What events that are put back must have in common to be one statement. */
  private record BackGroup(
      int version,
      @Nullable Instant at,
      @Nullable Duration after,
      boolean attemptCounts,
      boolean outcome,
      @Nullable String error) {}

  @Override
  public Set<Long> putBack(Connection connection, int shard, Collection<Requeue> events)
      throws SQLException {
    Map<BackGroup, List<Long>> groups = new HashMap<>();
    for (Requeue event : events) {
      groups
          .computeIfAbsent(
              new BackGroup(
                  event.version(),
                  event.at(),
                  event.after(),
                  event.attemptCounts(),
                  event.isOutcome(),
                  event.error()),
              ignored -> new ArrayList<>())
          .add(event.id());
    }
    Set<Long> back = new HashSet<>();
    for (Map.Entry<BackGroup, List<Long>> group : groups.entrySet()) {
      back.addAll(putBack(connection, shard, group.getKey(), group.getValue()));
    }
    return back;
  }

  private List<Long> putBack(Connection connection, int shard, BackGroup group, List<Long> ids)
      throws SQLException {
    String statement =
        group.after == null ? putBack : putBack.replace("COALESCE(?, due_at)", sql.nowPlusMicros());
    Object time = group.after == null ? group.at : micros(group.after);
    return sql.query(
        connection,
        statement,
        row -> row.getLong(1),
        group.attemptCounts ? 0 : -1,
        group.outcome ? 0 : 1,
        time,
        group.error,
        shard,
        inOrder(ids),
        group.version);
  }

  private static List<Long> ids(PreparedStatement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery()) {
      List<Long> ids = new ArrayList<>();
      while (row.next()) {
        ids.add(row.getLong(1));
      }
      return ids;
    }
  }

  @Override
  public boolean cancelPending(
      Connection connection, int shard, long id, int version, String reason) throws SQLException {
    CompletionUpdate ending = new CompletionUpdate(id, version, EventStatus.CANCELLED, reason);
    return sql.returnsRow(
        connection, cancel, shard, id, version, StatusCode.of(ending.status()), ending.error());
  }

  @Override
  public long register(Connection connection, String name, Duration lease) throws SQLException {
    return sql.query(
            connection,
            text(
                "INSERT INTO {instance} (name, started_at, expires_at, stopped) VALUES (?, {now},"
                    + " {now+}, FALSE) RETURNING id"),
            row -> row.getLong(1),
            name,
            micros(lease))
        .get(0);
  }

  @Override
  public int rescue(Connection connection, int shard, Collection<Long> expired, int most)
      throws SQLException {
    return rescue.run(connection, shard, expired, most);
  }

  @Override
  public HistoryPartitions historyDays() {
    return historyDays;
  }

  @Override
  public int forgetEnded(Connection connection, int shard, Duration kept, int most)
      throws SQLException {
    Long ago = micros(kept.negated());
    return sql.update(connection, forgetEnded, shard, ago, most, shard, ago);
  }

  @Override
  public boolean pause(Connection connection, String kind, String name) throws SQLException {
    return sql.returnsRow(
        connection,
        text(
            "INSERT INTO {pause} (kind, name, paused_at) VALUES (?, ?, {now}) ON CONFLICT (kind,"
                + " name) DO NOTHING RETURNING kind"),
        kind,
        name);
  }
}
