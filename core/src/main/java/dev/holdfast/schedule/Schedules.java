package dev.holdfast.schedule;

import dev.holdfast.BackgroundService;
import dev.holdfast.transaction.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

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
public interface Schedules {
  /**
   * With this limit for an instance that stops in the middle of firing, because it is suspended or
   * cut off: after it the database ends its session, and others fire instead; 15 s by default, from
   * 1 s to an hour. Also the longest wait for a schedule that another session holds. MariaDB and
   * MySQL count whole seconds; H2 does not end sessions, so there it is the longest wait only.
   */
  Schedules takeOverAfter(Duration limit);

  /**
   * Makes sure that a schedule in code is there as the code says; for each instance, at its start.
   *
   * <p>A definition that was replaced stays replaced: in a rolling deployment an instance of the
   * old code that starts once more changes nothing and gets {@code Outdated}. To go back to an
   * earlier definition in code, give it another {@link Schedule#revision}. The last 50 definitions
   * are remembered. A schedule that is paused stays so.
   */
  ScheduleChangeResult declare(Schedule schedule);

  /** Makes a schedule as it is given, the last one wins; for schedules that come from data. */
  ScheduleChangeResult put(Schedule schedule);

  /** As {@link #declare(Schedule)}, in this transaction. */
  ScheduleChangeResult declare(Transaction tx, Schedule schedule);

  /**
   * As {@link #put(Schedule)}, in this transaction. If that is stricter than READ COMMITTED and
   * does not see what another has created at the same time, it fails as a serialization failure.
   */
  ScheduleChangeResult put(Transaction tx, Schedule schedule);

  /**
   * Creates a schedule if there is none of its name; else nothing is changed: {@code Unchanged} if
   * the schedule is like this already, {@code Conflict} if it is another one.
   */
  ScheduleChangeResult createIfAbsent(Schedule schedule);

  /**
   * As {@link #put(Schedule)}, if the schedule still has this {@link ScheduleRecord#etag}.
   *
   * <p>Guarantee: of all callers with the same etag that make a change, one does; a fire in between
   * is no change. A schedule that is like this already is {@code Unchanged}, whatever the etag.
   */
  ScheduleChangeResult putIfMatch(Schedule schedule, String etag);

  /** Fires no more until it is resumed. */
  ScheduleChangeResult pause(String name);

  /** Goes on with the fires after now: those of the pause do not count as missed. */
  ScheduleChangeResult resume(String name);

  /** As {@link #pause(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  ScheduleChangeResult pauseIfMatch(String name, String etag);

  /** As {@link #resume(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  ScheduleChangeResult resumeIfMatch(String name, String etag);

  /** As {@link #delete(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  ScheduleChangeResult deleteIfMatch(String name, String etag);

  /** Makes an extra event, due at once, also while it is paused; no fire is changed by it. */
  ScheduleTriggerResult trigger(String name);

  /**
   * Deletes a schedule; events that it has made stay. An instance that declares it makes it anew,
   * so take it out of the code first.
   */
  ScheduleChangeResult delete(String name);

  /** As {@link #delete(String)}, in this transaction. */
  ScheduleChangeResult delete(Transaction tx, String name);

  /** The schedule of this name. */
  Optional<ScheduleRecord> find(String name);

  /**
   * The next schedules after a name, in the order of names; the first ones after "".
   *
   * @param limit how many at most, from 1 to 1000
   */
  List<ScheduleRecord> list(String afterName, int limit);

  /**
   * Makes the events of all fires that are due. Any instance may do so at any time; workers and a
   * {@link #runner} do it again and again.
   *
   * @throws dev.holdfast.transaction.TransactionStateException inside a current transaction
   */
  FireResult fireDue();

  /** How long it is until the next fire after now, by the database's clock. */
  Optional<Duration> timeUntilNextFire();

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
  BackgroundService runner();

  /** As {@link #runner()}, looking for changes at least this often, from 10 ms to 1 h. */
  BackgroundService runner(Duration pollInterval);

  /**
   * What {@link #fireDue} has done.
   *
   * @param events how many events it made
   * @param skipped how many fires made none because an earlier event had not ended
   * @param unreadable how many schedules it could not read, and left to instances of another
   *     version
   */
  record FireResult(int events, int skipped, int unreadable) {}
}
