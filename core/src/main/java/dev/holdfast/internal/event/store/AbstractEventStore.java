package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.event.QueueLimit;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What is the same SQL on every database. */
abstract class AbstractEventStore implements EventStore {
  /** The error of an event that was recovered, until its next attempt has another. */
  static final String STOPPED = "its instance stopped, or lost its lease, while handling it";

  /**
   * In {@code begun} in place of a version: the instance has stopped after the handler was begun.
   * It stays until the handler is begun again, also when the event is given back meanwhile.
   */
  static final int BEGUN_AND_CRASHED = -1;

  final EventStatements sql;

  private final String findLive;
  private final String findEnded;
  private final String nextDue;
  private final EventQueryStatement search;
  private final ReplayStatements replays;
  private final InstanceStatements instances;
  private final EventKeyPruner keySweep;
  private final LimitStatements limits;

  /**
   * @param limit the end of a query that wants no more rows than its parameter says
   * @param byStatus what follows the history where it is searched by a status that few have
   */
  AbstractEventStore(EventStatements sql, LimitStatements limits, String limit, String byStatus) {
    this.sql = sql;
    this.limits = limits;
    this.search = new EventQueryStatement(sql, byStatus);
    this.replays = new ReplayStatements(sql);
    this.instances = new InstanceStatements(sql);
    this.keySweep = new EventKeyPruner(sql, limit);
    this.findLive =
        text("SELECT " + EventColumns.TOLD_LIVE + " FROM {event} WHERE shard = ? AND id = ?");
    this.findEnded =
        text(
            "SELECT "
                + EventColumns.TOLD_ENDED
                + " FROM {event_history} WHERE shard = ? AND id = ?");
    this.nextDue = text("SELECT MIN(due_at), {now} FROM (" + earliestOfEachPriority() + ") d");
  }

  /** One look into the index for each, however many events there are. */
  private static String earliestOfEachPriority() {
    List<String> looks = new ArrayList<>();
    for (int priority = 0; priority < ClaimCursor.PRIORITIES; priority++) {
      looks.add(
          "SELECT (SELECT MIN(due_at) FROM {event} WHERE shard = ? AND queue = ? AND status = 0 AND"
              + " priority = "
              + priority
              + " AND due_at > {now+}) AS due_at");
    }
    return String.join(" UNION ALL ", looks);
  }

  @Override
  public final LimitStatements limits() {
    return limits;
  }

  final String text(String template) {
    return sql.text(template);
  }

  @Override
  public final Optional<KeyOwner> takenKey(Connection connection, int shard, String key)
      throws SQLException {
    return sql.first(
        connection,
        text("SELECT id, fingerprint FROM {event_key} WHERE shard = ? AND event_key = ?"),
        row -> new KeyOwner(row.getLong(1), row.getString(2)),
        shard,
        key);
  }

  @Override
  public final Optional<EventRecord> find(Connection connection, int shard, long id)
      throws SQLException {
    Optional<EventRecord> live = sql.first(connection, findLive, sql::event, shard, id);
    // it may end between the two looks, never the other way round
    return live.isPresent() ? live : sql.first(connection, findEnded, sql::event, shard, id);
  }

  @Override
  public final List<EventRecord> findAll(Connection connection, int shard, Collection<Long> ids)
      throws SQLException {
    return search.all(connection, shard, ids);
  }

  @Override
  public final List<EventRecord> search(
      Connection connection, int shard, EventFilter filter, long before, boolean notReplayed)
      throws SQLException {
    return search.run(connection, shard, filter, before, notReplayed);
  }

  @Override
  public final Map<Long, Long> replay(
      Connection connection, int shard, Map<Long, NewEvent> repetitions) throws SQLException {
    return replays.run(connection, shard, repetitions, this);
  }

  @Override
  public final OptionalInt replace(
      Connection connection, int shard, long id, NewEvent event, String fingerprint)
      throws SQLException {
    String due = event.at() == null ? (event.after() == null ? "{now}" : "{now+}") : "?";
    Object given = event.at() == null ? micros(event.after()) : event.at();
    String change =
        "UPDATE {event} SET version = version + 1, attempts = 0, crashes = 0, begun = NULL, error ="
            + " NULL, cancel_requested = FALSE, queue = ?, type = ?, priority = ?, tags = ?,"
            + " useless_at = ?, ordering_key = ?, limit_key = ?, payload = ?, payload_bytes = ?,"
            + " due_at = "
            + due
            + ", position_at = "
            + due
            + " WHERE shard = ? AND id = ? AND status = 0";
    @Nullable Object[] head = {
      event.queue(),
      event.type(),
      event.priority(),
      event.tags(),
      event.uselessAt(),
      event.orderingKey(),
      event.limitKey(),
      event.payload().text(),
      event.payload().bytes()
    };
    @Nullable Object[] times = given == null ? new Object[] {} : new Object[] {given, given};
    int changed =
        sql.update(connection, text(change), joined(head, times, new Object[] {shard, id}));
    if (changed == 0) {
      return OptionalInt.empty();
    }
    sql.update(
        connection,
        text("UPDATE {event_key} SET fingerprint = ? WHERE shard = ? AND event_key = ? AND id = ?"),
        fingerprint,
        shard,
        event.key(),
        id);
    return sql.first(
            connection,
            text("SELECT version FROM {event} WHERE shard = ? AND id = ?"),
            row -> row.getInt(1),
            shard,
            id)
        .map(OptionalInt::of)
        .orElseGet(OptionalInt::empty);
  }

  private static @Nullable Object[] joined(
      @Nullable Object[] head, @Nullable Object[] middle, @Nullable Object[] tail) {
    @Nullable Object[] all = new @Nullable Object[head.length + middle.length + tail.length];
    System.arraycopy(head, 0, all, 0, head.length);
    System.arraycopy(middle, 0, all, head.length, middle.length);
    System.arraycopy(tail, 0, all, head.length + middle.length, tail.length);
    return all;
  }

  static @Nullable Long micros(@Nullable Duration duration) {
    return duration == null ? null : TimeUnit.MICROSECONDS.convert(duration);
  }

  @Override
  public final boolean change(
      Connection connection,
      int shard,
      long id,
      int version,
      EventChange wanted,
      @Nullable String type,
      @Nullable StoredPayload payload)
      throws SQLException {
    StringBuilder change = new StringBuilder("UPDATE {event} SET version = version + 1");
    List<@Nullable Object> values = new ArrayList<>();
    String due = wanted.delay() == null ? "?" : "{now+}";
    Object time = wanted.delay() == null ? wanted.at() : micros(wanted.delay());
    if (time != null) {
      change.append(", due_at = ").append(due).append(", position_at = ").append(due);
      values.add(time);
      values.add(time);
    }
    if (wanted.priority() != null) {
      change.append(", priority = ?");
      values.add(wanted.priority());
    }
    if (payload != null) {
      change.append(", payload = ?, payload_bytes = ?");
      values.add(payload.text());
      values.add(payload.bytes());
    }
    values.addAll(List.of(shard, id, version));
    change.append(" WHERE shard = ? AND id = ? AND version = ? AND status = 0");
    if (type != null) {
      change.append(" AND type = ?");
      values.add(type);
    }
    return sql.update(connection, text(change.toString()), values.toArray()) == 1;
  }

  @Override
  public final boolean begin(Connection connection, int shard, long id, int version)
      throws SQLException {
    return sql.update(
            connection,
            text(
                "UPDATE {event} SET begun = version WHERE shard = ? AND id = ? AND version = ? AND"
                    + " status = 1"),
            shard,
            id,
            version)
        == 1;
  }

  @Override
  public final void uncountCrashes(
      Connection connection, int shard, Collection<ClaimedEvent> claims) throws SQLException {
    String uncount =
        "UPDATE {event} SET crashes = crashes - 1, begun = NULLIF(begun, "
            + BEGUN_AND_CRASHED
            + "), error = NULL WHERE shard = ? AND id = ? AND version IN (?, ?) AND crashes = ?";
    try (PreparedStatement statement = connection.prepareStatement(text(uncount))) {
      for (ClaimedEvent claim :
          claims.stream().sorted(Comparator.comparingLong(ClaimedEvent::id)).toList()) {
        int version = claim.version();
        sql.bind(statement, shard, claim.id(), version + 1, version + 2, claim.crashes() + 1);
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  @Override
  public final boolean crashedAfterBegin(Connection connection, int shard, long id, int version)
      throws SQLException {
    return !sql.query(
            connection,
            text("SELECT 1 FROM {event} WHERE shard = ? AND id = ? AND version = ? AND begun = ?"),
            row -> true,
            shard,
            id,
            version,
            BEGUN_AND_CRASHED)
        .isEmpty();
  }

  @Override
  public final boolean requestCancel(Connection connection, int shard, long id, int version)
      throws SQLException {
    return sql.update(
            connection,
            text(
                "UPDATE {event} SET cancel_requested = TRUE WHERE shard = ? AND id = ? AND version"
                    + " = ? AND status = 1"),
            shard,
            id,
            version)
        == 1;
  }

  @Override
  public final Set<Long> cancelRequested(Connection connection, int shard, Collection<Long> ids)
      throws SQLException {
    Set<Long> wanted = new HashSet<>();
    for (List<Long> some : MultiStatementSql.lists(ids)) {
      List<@Nullable Object> values = new ArrayList<>();
      values.add(shard);
      values.addAll(some);
      String look =
          "SELECT id FROM {event} WHERE shard = ? AND id IN ("
              + MultiStatementSql.marks(some.size())
              + ") AND cancel_requested";
      wanted.addAll(sql.query(connection, text(look), row -> row.getLong(1), values.toArray()));
    }
    return wanted;
  }

  @Override
  public final Map<Long, Integer> owned(Connection connection, int shard, String queue, long owner)
      throws SQLException {
    Map<Long, Integer> owned = new HashMap<>();
    sql.query(
        connection,
        text(
            "SELECT id, version FROM {event} WHERE shard = ? AND owner = ? AND status = 1 AND queue"
                + " = ?"),
        row -> owned.put(row.getLong(1), row.getInt(2)) == null,
        shard,
        owner,
        queue);
    return owned;
  }

  @Override
  public final boolean renew(Connection connection, long instance, Duration lease)
      throws SQLException {
    return instances.renew(connection, instance, lease);
  }

  @Override
  public final void release(Connection connection, long instance) throws SQLException {
    instances.release(connection, instance);
  }

  @Override
  public final List<InstanceRecord> instances(Connection connection) throws SQLException {
    return instances.known(connection);
  }

  @Override
  public final List<Long> expired(Connection connection) throws SQLException {
    return instances.expired(connection);
  }

  @Override
  public final int forgetInstances(Connection connection, int shards, Duration longAgo)
      throws SQLException {
    return instances.forget(connection, shards, longAgo);
  }

  @Override
  public final PrunedKeys forgetKeys(
      Connection connection, int shard, String after, Duration kept, int most) throws SQLException {
    return keySweep.run(connection, shard, after, kept, most);
  }

  @Override
  public final QueueControls queueControls(Connection connection) throws SQLException {
    Map<String, Set<String>> paused = new HashMap<>();
    List<QueueLimit> limited = new ArrayList<>();
    sql.query(
        connection,
        text(
            "SELECT "
                + LimitStatements.COLUMNS
                + ", 1 FROM {limit} UNION ALL SELECT kind, name, NULL, NULL, NULL, 0 FROM {pause}"
                + " ORDER BY 1, 2"),
        row ->
            row.getInt(6) == 1
                ? limited.add(LimitStatements.limit(row))
                : paused
                    .computeIfAbsent(row.getString(1), ignored -> new HashSet<>())
                    .add(row.getString(2)));
    return new QueueControls(
        paused.getOrDefault("queue", Set.of()), paused.getOrDefault("type", Set.of()), limited);
  }

  @Override
  public final Optional<Duration> nextDue(
      Connection connection, int shard, String queue, Duration lookBack) throws SQLException {
    @Nullable Object[] values = new @Nullable Object[3 * ClaimCursor.PRIORITIES];
    for (int i = 0; i < values.length; i += 3) {
      values[i] = shard;
      values[i + 1] = queue;
      values[i + 2] = micros(lookBack.negated());
    }
    return sql.query(connection, nextDue, this::untilDue, values).stream()
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Both times are of the database, so that no other clock counts. */
  private Optional<Duration> untilDue(ResultSet row) throws SQLException {
    Instant due = sql.times().get(row, 1);
    return due == null ? Optional.empty() : Optional.of(Duration.between(sql.time(row, 2), due));
  }

  @Override
  public final boolean resume(Connection connection, String kind, String name) throws SQLException {
    return sql.update(
            connection, text("DELETE FROM {pause} WHERE kind = ? AND name = ?"), kind, name)
        == 1;
  }
}
