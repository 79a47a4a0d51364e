package dev.holdfast.internal.schedule;

import dev.holdfast.BackgroundService;
import dev.holdfast.event.EventId;
import dev.holdfast.event.Events;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.ScheduleRecord;
import dev.holdfast.schedule.ScheduleTriggerResult;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Schedules over their table and the events that they make. Immutable and thread-safe. */
public final class DefaultSchedules implements Schedules {
  private static final int MAX_LISTED = 1000;
  private static final int ATTEMPTS = 10;
  private static final Duration TAKE_OVER = Duration.ofSeconds(15);
  private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);

  private final Transactions given;
  private final Transactions transactions;
  private final Events events;
  private final ScheduleStore store;
  private final ScheduleFirer firer;
  private final Function<Transaction, Instant> clock;
  private final Duration takeOverTime;

  private DefaultSchedules(
      Transactions given,
      Events events,
      ScheduleStore store,
      Duration takeOverTime,
      @Nullable Function<Transaction, Instant> clock) {
    this.given = given;
    this.takeOverTime = takeOverTime;
    this.transactions =
        given
            .requiresNew()
            // no transaction waits for these, and an older snapshot could only fail
            .isolation(Isolation.READ_COMMITTED)
            .lockTimeout(takeOverTime)
            .idleTimeout(takeOverTime)
            // a statement may wait for a lock, and then take a while itself
            .networkTimeout(takeOverTime.multipliedBy(2));
    this.events = events;
    this.store = store;
    this.firer = new ScheduleFirer(store, events);
    this.clock = clock == null ? store::now : clock;
  }

  /**
   * The schedules of one database; made by {@link dev.holdfast.Holdfast}.
   *
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   */
  public static Schedules create(
      Transactions transactions, Dialect dialect, @Nullable String schema, Events events) {
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    return new DefaultSchedules(
        Require.notNull(transactions, "transactions"),
        Require.notNull(events, "events"),
        new ScheduleStore(dialect, prefix),
        TAKE_OVER,
        null);
  }

  /** Returns a copy with another clock than that of the database, for tests. */
  public Schedules clock(Function<Transaction, Instant> other) {
    return new DefaultSchedules(given, events, store, takeOverTime, other);
  }

  @Override
  public Schedules takeOverAfter(Duration limit) {
    Require.between(limit, Duration.ofSeconds(1), Duration.ofHours(1), "takeOverAfter");
    return new DefaultSchedules(given, events, store, limit, clock);
  }

  Duration takeOverAfter() {
    return takeOverTime;
  }

  @Override
  public ScheduleChangeResult declare(Schedule schedule) {
    ScheduleDefinition definition = define(schedule);
    ScheduleChangeResult result = changing("declaring a schedule", tx -> put(tx, definition, true));
    if (result instanceof ScheduleChangeResult.Outdated outdated) {
      LOG.warn(
          "schedule-outdated: the definition {} was replaced by a newer one, '{}'; keeping the"
              + " newer one. Set another revision to go back",
          schedule,
          outdated.current().recurrence());
    }
    return result;
  }

  @Override
  public ScheduleChangeResult put(Schedule schedule) {
    ScheduleDefinition definition = define(schedule);
    return changing("putting a schedule", tx -> put(tx, definition, false));
  }

  @Override
  public ScheduleChangeResult declare(Transaction tx, Schedule schedule) {
    return put(tx, define(schedule), true);
  }

  @Override
  public ScheduleChangeResult put(Transaction tx, Schedule schedule) {
    return put(tx, define(schedule), false);
  }

  @Override
  public ScheduleChangeResult createIfAbsent(Schedule schedule) {
    return putExpecting(schedule, null);
  }

  @Override
  public ScheduleChangeResult putIfMatch(Schedule schedule, String etag) {
    return putExpecting(schedule, Require.notNull(etag, "etag"));
  }

  private ScheduleChangeResult putExpecting(Schedule schedule, @Nullable String etag) {
    ScheduleDefinition wanted = define(schedule);
    return changing(
        "putting a schedule",
        tx -> {
          for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            Optional<ScheduleRow> found = lock(tx, wanted.name(), attempt);
            boolean same =
                found.isPresent()
                    && found.get().definition().fingerprint().equals(wanted.fingerprint());
            if (found.isEmpty() && etag != null) {
              return new ScheduleChangeResult.NotFound();
            }
            if (found.isPresent() && !same && !found.get().etag().equals(etag)) {
              return new ScheduleChangeResult.Conflict(found.get().record());
            }
            // empty: another transaction has created it, which this one does not see
            Optional<ScheduleChangeResult> result = put(tx, wanted, false, found);
            if (result.isPresent()) {
              return result.get();
            }
          }
          throw store.notVisible(tx, wanted.name());
        });
  }

  private ScheduleDefinition define(Schedule schedule) {
    return ScheduleDefinition.of(Require.notNull(schedule, "schedule"), events);
  }

  private ScheduleChangeResult put(Transaction tx, ScheduleDefinition wanted, boolean declared) {
    tx.requireWritable(() -> "putting the schedule '" + wanted.name() + "'");
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      Optional<ScheduleChangeResult> result =
          put(tx, wanted, declared, lock(tx, wanted.name(), attempt));
      if (result.isPresent()) {
        return result.get();
      }
    }
    throw store.notVisible(tx, wanted.name());
  }

  /**
   * Locks the schedule if it exists. If the search for a missing row locks the gap, two
   * transactions that create it would wait for each other: then the first search does not lock.
   */
  private Optional<ScheduleRow> lock(Transaction tx, String name, int attempt) {
    boolean locksGaps = tx.dialect().locksGaps() && tx.isolation().keepsSnapshot();
    return locksGaps && attempt == 1 && store.find(tx, name).isEmpty()
        ? Optional.empty()
        : store.lock(tx, name);
  }

  /** Empty if it was not found, and another transaction has created it since. */
  private Optional<ScheduleChangeResult> put(
      Transaction tx, ScheduleDefinition wanted, boolean declared, Optional<ScheduleRow> found) {
    // read when the row is locked: changes during the wait for it are in the past
    Instant now = clock.apply(tx);
    if (found.isEmpty()) {
      return store
          .insertIfAbsent(tx, ScheduleRow.created(wanted, now))
          .map(created -> new ScheduleChangeResult.Created(created.record()));
    }
    return Optional.of(put(tx, wanted, declared, found.get(), now));
  }

  private ScheduleChangeResult put(
      Transaction tx,
      ScheduleDefinition wanted,
      boolean declared,
      ScheduleRow before,
      Instant now) {
    boolean same = before.definition().fingerprint().equals(wanted.fingerprint());
    if (declared && same) {
      return new ScheduleChangeResult.Unchanged(before.record());
    }
    if (declared && before.superseded().contains(wanted.fingerprint())) {
      return new ScheduleChangeResult.Outdated(before.record());
    }
    ScheduleRow evaluated = firer.evaluate(tx, before, now);
    if (same) {
      // written only if fires were due, or if the rules of the zone have changed
      boolean moved = !Objects.equals(evaluated.nextFireAt(), before.nextFireAt());
      return new ScheduleChangeResult.Unchanged(
          (moved ? store.advance(tx, evaluated) : before).record());
    }
    return new ScheduleChangeResult.Updated(store.define(tx, evaluated.defined(wanted)).record());
  }

  @Override
  public ScheduleChangeResult pause(String name) {
    return pause(name, true);
  }

  @Override
  public ScheduleChangeResult resume(String name) {
    return pause(name, false);
  }

  private ScheduleChangeResult pause(String name, boolean wanted) {
    return changing(name, null, (tx, schedule) -> pause(tx, schedule, wanted));
  }

  private ScheduleChangeResult pause(Transaction tx, ScheduleRow schedule, boolean wanted) {
    return schedule.paused() == wanted
        ? new ScheduleChangeResult.Unchanged(schedule.record())
        : new ScheduleChangeResult.Updated(
            store.advance(tx, schedule.paused(wanted, clock.apply(tx))).record());
  }

  @Override
  public ScheduleChangeResult pauseIfMatch(String name, String etag) {
    return changing(
        name, Require.notNull(etag, "etag"), (tx, schedule) -> pause(tx, schedule, true));
  }

  @Override
  public ScheduleChangeResult resumeIfMatch(String name, String etag) {
    return changing(
        name, Require.notNull(etag, "etag"), (tx, schedule) -> pause(tx, schedule, false));
  }

  @Override
  public ScheduleChangeResult deleteIfMatch(String name, String etag) {
    return changing(name, Require.notNull(etag, "etag"), (tx, schedule) -> deleted(tx, name));
  }

  private interface Change {
    ScheduleChangeResult apply(Transaction tx, ScheduleRow schedule);
  }

  /** The row stays locked from the comparison with the etag, if there is one, to the change. */
  private ScheduleChangeResult changing(String name, @Nullable String etag, Change change) {
    Schedule.requireName(name);
    return changing(
        "changing a schedule",
        tx -> {
          ScheduleRow found = store.lock(tx, name).orElse(null);
          if (found == null) {
            return new ScheduleChangeResult.NotFound();
          }
          return etag == null || found.etag().equals(etag)
              ? change.apply(tx, found)
              : new ScheduleChangeResult.Conflict(found.record());
        });
  }

  @Override
  public ScheduleTriggerResult trigger(String name) {
    Schedule.requireName(name);
    return changing(
        "triggering a schedule",
        tx -> {
          ScheduleRow schedule = store.lock(tx, name).orElse(null);
          if (schedule == null) {
            return new ScheduleTriggerResult.NotFound();
          }
          EventId last = schedule.lastEvent();
          if (last != null && firer.overlaps(tx, schedule)) {
            return new ScheduleTriggerResult.Overlapping(last);
          }
          EventId made = events.schedule(tx, schedule.definition().extraEvent()).id();
          store.advance(tx, schedule.triggered(made));
          return new ScheduleTriggerResult.Triggered(made);
        });
  }

  @Override
  public ScheduleChangeResult delete(String name) {
    Schedule.requireName(name);
    return changing("deleting a schedule", tx -> deleted(tx, name));
  }

  @Override
  public ScheduleChangeResult delete(Transaction tx, String name) {
    Schedule.requireName(name);
    tx.requireWritable(() -> "deleting the schedule '" + name + "'");
    return deleted(tx, name);
  }

  private ScheduleChangeResult deleted(Transaction tx, String name) {
    return store.delete(tx, name)
        ? new ScheduleChangeResult.Deleted()
        : new ScheduleChangeResult.NotFound();
  }

  @Override
  public Optional<ScheduleRecord> find(String name) {
    Schedule.requireName(name);
    return joining(tx -> store.find(tx, name)).map(ScheduleRow::record);
  }

  @Override
  public List<ScheduleRecord> list(String afterName, int limit) {
    Require.notNull(afterName, "afterName");
    Require.between(limit, 1, MAX_LISTED, "limit");
    return joining(tx -> store.page(tx, afterName, limit)).stream()
        .map(ScheduleRow::record)
        .toList();
  }

  @Override
  public FireResult fireDue() {
    given.requireNone("firing schedules");
    FireResult sum = ScheduleFirer.NOTHING;
    Instant afterFire = Instant.EPOCH;
    String afterName = "";
    while (true) {
      Instant fire = afterFire;
      String name = afterName;
      ScheduleFirer.Batch batch = reading(tx -> firer.fireDue(tx, clock.apply(tx), fire, name));
      sum = ScheduleFirer.sum(sum, batch.result());
      if (batch.isLast()) {
        return sum;
      }
      ScheduleRow last = batch.seen().get(batch.seen().size() - 1);
      afterFire = Require.notNull(last.nextFireAt(), "the time of a due schedule");
      afterName = last.name();
    }
  }

  @Override
  public Optional<Duration> timeUntilNextFire() {
    return state().untilNext();
  }

  /** The state after a check: the time until the next fire, and due schedules that did not fire. */
  record State(Optional<Duration> untilNext, List<OverdueWatch.Overdue> overdue) {}

  State state() {
    return reading(
        tx -> {
          Instant now = clock.apply(tx);
          return new State(
              store.nextFire(tx, now).map(next -> Duration.between(now, next)),
              store.overdue(tx, now));
        });
  }

  @Override
  public BackgroundService runner() {
    return runner(ScheduleRunner.DEFAULT_POLL);
  }

  @Override
  public BackgroundService runner(Duration pollInterval) {
    return new ScheduleRunner(this, pollInterval);
  }

  private <T> T joining(TransactionCallback<T, RuntimeException> work) {
    return given.<T, RuntimeException>joinToRead(work, () -> reading(work));
  }

  /** In a new transaction. */
  private <T> T reading(TransactionCallback<T, RuntimeException> work) {
    return transactions.<T, RuntimeException>call(work);
  }

  private <T> T changing(String what, TransactionCallback<T, RuntimeException> work) {
    return given.<T, RuntimeException>joinToWrite(
        what,
        work,
        () -> transactions.retrying(ATTEMPTS).named("schedule").<T, RuntimeException>call(work));
  }
}
