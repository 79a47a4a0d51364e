package dev.holdfast.schedule;

import dev.holdfast.BackgroundService;
import dev.holdfast.event.EventId;
import dev.holdfast.event.Events;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
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

/**
 * Recurrences that make events, in the database: any instance fires any of them.
 *
 * <pre>{@code
 * holdfast.schedules().declare(Schedule.of("nightly-report", daily(three, madrid), REPORT.event(all)));
 * Worker worker = holdfast.worker().handle(REPORT, handler).start();   // also fires schedules
 * }</pre>
 *
 * <p>Guarantee: each fire time of a schedule makes at most one event, however many instances run
 * and however often they try, and exactly one where {@link MisfirePolicy} and {@link OverlapPolicy}
 * let it. A fire and its event are one transaction. A change of the definition takes effect at one
 * instant: fires up to it are the old definition's, fires after it the new one's; none is both or
 * neither. The clock is the database's. There is no leader.
 *
 * <p>Not guaranteed: punctuality while no worker and no {@link #runner} runs, nor where a new rule
 * of a zone makes the next fire earlier: then it is late, unless the schedule is {@link #put}
 * again. The key of a fire is known for as long as its event is.
 *
 * <p>A call runs in the {@link Transaction} that it is given, or else in the current one of the
 * thread, and takes effect when that commits. Without a current transaction it opens a new one, and
 * repeats it if others were in the way. Immutable and thread-safe.
 */
public final class Schedules {
  static final int MAX_LISTED = 1000;
  private static final int ATTEMPTS = 10;
  private static final Duration TAKE_OVER = Duration.ofSeconds(15);
  private static final Logger LOG = LoggerFactory.getLogger(Schedules.class);

  private final Transactions given;
  private final Transactions transactions;
  private final Events events;
  private final ScheduleStore store;
  private final ScheduleFirer firing;
  private final Function<Transaction, Instant> clock;
  private final Duration takeOver;

  private Schedules(
      Transactions given,
      Events events,
      ScheduleStore store,
      Duration takeOver,
      @Nullable Function<Transaction, Instant> clock) {
    this.given = given;
    this.takeOver = takeOver;
    this.transactions =
        given
            .requiresNew()
            // others wait for nothing here, and an older snapshot could only fail
            .isolation(Isolation.READ_COMMITTED)
            .lockTimeout(takeOver)
            .idleTimeout(takeOver)
            // a statement may wait for a lock, and then take a while itself
            .networkTimeout(takeOver.multipliedBy(2));
    this.events = events;
    this.store = store;
    this.firing = new ScheduleFirer(store, events);
    this.clock = clock == null ? store::now : clock;
  }

  /**
   * The schedules of one database; made by {@link dev.holdfast.Holdfast}.
   *
   * @param schema the name of the schema in which Holdfast's tables are; null for the current one
   */
  public static Schedules of(
      Transactions transactions, Dialect dialect, @Nullable String schema, Events events) {
    String prefix = schema == null ? "" : dialect.quote(schema) + ".";
    return new Schedules(
        Require.notNull(transactions, "transactions"),
        Require.notNull(events, "events"),
        new ScheduleStore(dialect, prefix),
        TAKE_OVER,
        null);
  }

  /** With another clock than the database's, so that a test need not wait a week. */
  Schedules clock(Function<Transaction, Instant> other) {
    return new Schedules(given, events, store, takeOver, other);
  }

  /**
   * With this limit for an instance that stops in the middle of firing, because it is suspended or
   * cut off: after it the database ends its session, and others fire instead; 15 s by default, from
   * 1 s to an hour. Also the longest wait for a schedule that another session holds. MariaDB and
   * MySQL count whole seconds; H2 does not end sessions, so there it is the longest wait only.
   */
  public Schedules takeOverAfter(Duration limit) {
    Require.between(limit, Duration.ofSeconds(1), Duration.ofHours(1), "takeOverAfter");
    return new Schedules(given, events, store, limit, clock);
  }

  Duration takeOverAfter() {
    return takeOver;
  }

  /**
   * Makes sure that a schedule in code is there as the code says; for each instance, at its start.
   *
   * <p>A definition that was replaced stays replaced: in a rolling deployment an instance of the
   * old code that starts once more changes nothing and gets {@code Outdated}. To go back to an
   * earlier definition in code, give it another {@link Schedule#revision}. The last 50 definitions
   * are remembered. A schedule that is paused stays so.
   */
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

  /** Makes a schedule as it is given, the last one wins; for schedules that come from data. */
  public ScheduleChangeResult put(Schedule schedule) {
    ScheduleDefinition definition = define(schedule);
    return changing("putting a schedule", tx -> put(tx, definition, false));
  }

  /** As {@link #declare(Schedule)}, in this transaction. */
  public ScheduleChangeResult declare(Transaction tx, Schedule schedule) {
    return put(tx, define(schedule), true);
  }

  /**
   * As {@link #put(Schedule)}, in this transaction. If that is stricter than READ COMMITTED and
   * does not see what another has created at the same time, it fails as a serialization failure.
   */
  public ScheduleChangeResult put(Transaction tx, Schedule schedule) {
    return put(tx, define(schedule), false);
  }

  /**
   * Creates a schedule if there is none of its name; else nothing is changed: {@code Unchanged} if
   * the schedule is like this already, {@code Conflict} if it is another one.
   */
  public ScheduleChangeResult createIfAbsent(Schedule schedule) {
    return putExpecting(schedule, null);
  }

  /**
   * As {@link #put(Schedule)}, if the schedule still has this {@link ScheduleRecord#etag}.
   *
   * <p>Guarantee: of all callers with the same etag that make a change, one does; a fire in between
   * is no change. A schedule that is like this already is {@code Unchanged}, whatever the etag.
   */
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
            if (found.isPresent() && !same && !found.get().tag().equals(etag)) {
              return new ScheduleChangeResult.Conflict(found.get().told());
            }
            // empty: another has created it in between, which has not been seen
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
   * Locks it, if it is there. Where a search for a missing row locks the gap, two who create it
   * would wait for each other: there it is looked for without a lock first.
   */
  private Optional<ScheduleRow> lock(Transaction tx, String name, int attempt) {
    boolean locksGaps = tx.dialect().locksGaps() && tx.isolation().keepsSnapshot();
    return locksGaps && attempt == 1 && store.find(tx, name).isEmpty()
        ? Optional.empty()
        : store.lock(tx, name);
  }

  /** Empty if it was not found, and another has created it since. */
  private Optional<ScheduleChangeResult> put(
      Transaction tx, ScheduleDefinition wanted, boolean declared, Optional<ScheduleRow> found) {
    // asked for when the row is locked: what others did while we waited is in the past
    Instant now = clock.apply(tx);
    if (found.isEmpty()) {
      return store
          .insertIfAbsent(tx, ScheduleRow.created(wanted, now))
          .map(created -> new ScheduleChangeResult.Created(created.told()));
    }
    return Optional.of(put(tx, wanted, declared, found.get(), now));
  }

  private ScheduleChangeResult put(
      Transaction tx, ScheduleDefinition wanted, boolean declared, ScheduleRow was, Instant now) {
    boolean same = was.definition().fingerprint().equals(wanted.fingerprint());
    if (declared && same) {
      return new ScheduleChangeResult.Unchanged(was.told());
    }
    if (declared && was.superseded().contains(wanted.fingerprint())) {
      return new ScheduleChangeResult.Outdated(was.told());
    }
    ScheduleRow settled = firing.settle(tx, was, now);
    if (same) {
      // written only where fires were due, or where the rules of the zone have changed
      boolean moved = !Objects.equals(settled.nextFireAt(), was.nextFireAt());
      return new ScheduleChangeResult.Unchanged((moved ? store.advance(tx, settled) : was).told());
    }
    return new ScheduleChangeResult.Updated(store.define(tx, settled.defined(wanted)).told());
  }

  /** Fires no more until it is resumed. */
  public ScheduleChangeResult pause(String name) {
    return pause(name, true);
  }

  /** Goes on with the fires after now: those of the pause do not count as missed. */
  public ScheduleChangeResult resume(String name) {
    return pause(name, false);
  }

  private ScheduleChangeResult pause(String name, boolean wanted) {
    return changing(name, null, (tx, schedule) -> pause(tx, schedule, wanted));
  }

  private ScheduleChangeResult pause(Transaction tx, ScheduleRow schedule, boolean wanted) {
    return schedule.paused() == wanted
        ? new ScheduleChangeResult.Unchanged(schedule.told())
        : new ScheduleChangeResult.Updated(
            store.advance(tx, schedule.paused(wanted, clock.apply(tx))).told());
  }

  /** As {@link #pause(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  public ScheduleChangeResult pauseIfMatch(String name, String etag) {
    return changing(
        name, Require.notNull(etag, "etag"), (tx, schedule) -> pause(tx, schedule, true));
  }

  /** As {@link #resume(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  public ScheduleChangeResult resumeIfMatch(String name, String etag) {
    return changing(
        name, Require.notNull(etag, "etag"), (tx, schedule) -> pause(tx, schedule, false));
  }

  /** As {@link #delete(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  public ScheduleChangeResult deleteIfMatch(String name, String etag) {
    return changing(name, Require.notNull(etag, "etag"), (tx, schedule) -> deleted(tx, name));
  }

  private interface SeenChange {
    ScheduleChangeResult in(Transaction tx, ScheduleRow schedule);
  }

  /** The row stays locked from the comparison with the etag, if there is one, to the change. */
  private ScheduleChangeResult changing(String name, @Nullable String etag, SeenChange change) {
    Schedule.requireName(name);
    return changing(
        "changing a schedule",
        tx -> {
          ScheduleRow found = store.lock(tx, name).orElse(null);
          if (found == null) {
            return new ScheduleChangeResult.NotFound();
          }
          return etag == null || found.tag().equals(etag)
              ? change.in(tx, found)
              : new ScheduleChangeResult.Conflict(found.told());
        });
  }

  /** Makes an extra event, due at once, also while it is paused; no fire is changed by it. */
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
          if (last != null && firing.overlaps(tx, schedule)) {
            return new ScheduleTriggerResult.Overlapping(last);
          }
          EventId made = events.schedule(tx, schedule.definition().extraEvent()).id();
          store.advance(tx, schedule.triggered(made));
          return new ScheduleTriggerResult.Triggered(made);
        });
  }

  /**
   * Deletes a schedule; events that it has made stay. An instance that declares it makes it anew,
   * so take it out of the code first.
   */
  public ScheduleChangeResult delete(String name) {
    Schedule.requireName(name);
    return changing("deleting a schedule", tx -> deleted(tx, name));
  }

  /** As {@link #delete(String)}, in this transaction. */
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

  /** The schedule of this name. */
  public Optional<ScheduleRecord> find(String name) {
    Schedule.requireName(name);
    return joining(tx -> store.find(tx, name)).map(ScheduleRow::told);
  }

  /**
   * The next schedules after a name, in the order of names; the first ones after "".
   *
   * @param limit how many at most, from 1 to 1000
   */
  public List<ScheduleRecord> list(String afterName, int limit) {
    Require.notNull(afterName, "afterName");
    Require.between(limit, 1, MAX_LISTED, "limit");
    return joining(tx -> store.page(tx, afterName, limit)).stream().map(ScheduleRow::told).toList();
  }

  /**
   * What {@link #fireDue} has done.
   *
   * @param events how many events it made
   * @param skipped how many fires made none because an earlier event had not ended
   * @param unreadable how many schedules it could not read, and left to instances of another
   *     version
   */
  public record FireResult(int events, int skipped, int unreadable) {
    static final FireResult NOTHING = new FireResult(0, 0, 0);

    FireResult plus(FireResult other) {
      return new FireResult(
          events + other.events, skipped + other.skipped, unreadable + other.unreadable);
    }
  }

  /**
   * Makes the events of all fires that are due. Any instance may do so at any time; workers and a
   * {@link #runner} do it again and again.
   *
   * @throws dev.holdfast.transaction.TransactionStateException inside a current transaction
   */
  public FireResult fireDue() {
    given.requireNone("firing schedules");
    FireResult sum = FireResult.NOTHING;
    Instant afterFire = Instant.EPOCH;
    String afterName = "";
    while (true) {
      Instant fire = afterFire;
      String name = afterName;
      ScheduleFirer.Batch batch = reading(tx -> firing.fireDue(tx, clock.apply(tx), fire, name));
      sum = sum.plus(batch.result());
      if (batch.isLast()) {
        return sum;
      }
      ScheduleRow last = batch.seen().get(batch.seen().size() - 1);
      afterFire = Require.notNull(last.nextFireAt(), "the time of a due schedule");
      afterName = last.name();
    }
  }

  /** How long it is until the next fire after now, by the database's clock. */
  public Optional<Duration> timeUntilNextFire() {
    return rest().untilNext();
  }

  /** What is left after a look: the time until the next fire, and what is due and was not fired. */
  record Rest(Optional<Duration> untilNext, List<OverdueWatch.Overdue> overdue) {}

  Rest rest() {
    return reading(
        tx -> {
          Instant now = clock.apply(tx);
          return new Rest(
              store.nextFire(tx, now).map(next -> Duration.between(now, next)),
              store.overdue(tx, now));
        });
  }

  /**
   * Builds a service that fires due schedules, for instances without a worker: a worker does it by
   * itself. It looks for changes at least every 3 s.
   *
   * <p>Any number of instances may run one: each fire is made once. It sleeps until the next fire,
   * and uses one connection at a time. Issues in its health: {@code schedule-check-failed}, {@code
   * schedule-check-stalled} if the database does not respond for {@link #takeOverAfter}, and {@code
   * schedule-overdue} if a schedule is due and another session holds its row. If the table of
   * schedules does not exist, it looks for it once a minute, which is no issue. Detail: {@code
   * last-check}, how long ago it last looked.
   */
  public BackgroundService runner() {
    return runner(ScheduleRunner.DEFAULT_POLL);
  }

  /** As {@link #runner()}, looking for changes at least this often, from 10 ms to 1 h. */
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
