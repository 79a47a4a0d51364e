package dev.holdfast.schedule;

import dev.holdfast.BackgroundService;
import dev.holdfast.transaction.Transaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Schedules in the database, which create events: any instance fires any of them.
 *
 * <pre>{@code
 * holdfast.schedules().declare(Schedule.of("nightly-report", daily(three, madrid), REPORT.event(all)));
 * Worker worker = holdfast.worker().handle(REPORT, handler).start();   // also fires schedules
 * }</pre>
 *
 * <p><b>Guarantees:</b> each fire time of a schedule creates at most one event, for any number of
 * instances and tries, and exactly one if {@link MisfirePolicy} and {@link OverlapPolicy} allow it.
 * A fire and its event are one transaction. A change of the definition takes effect at one instant:
 * fires up to it belong to the old definition, later ones to the new one. The clock of the database
 * decides. There is no leader.
 *
 * <p><b>Does not guarantee</b> punctuality while no worker and no {@link #runner} runs. If a new
 * rule of a zone makes the next fire earlier, that fire is late, unless the schedule is {@link
 * #put} again. The key of a fire is kept as long as the key of its event.
 *
 * <p><b>Transactions:</b> a call uses the {@link Transaction} that it is given, or else the current
 * one of the thread, and takes effect when that commits. Without a current transaction it opens a
 * new one, and retries it after a conflict.
 *
 * <p><b>Threads:</b> immutable and thread-safe.
 */
public interface Schedules {
  /**
   * Returns a copy with this limit for an instance that is suspended or disconnected while it
   * fires: after it, the database ends the session of the instance, and other instances fire
   * instead; 15 s by default, from 1 s to an hour. It is also the longest wait for a schedule that
   * another session has locked. MariaDB and MySQL count whole seconds; H2 does not end sessions, so
   * that it is only the longest wait there.
   */
  Schedules takeOverAfter(Duration limit);

  /**
   * Creates or updates a schedule that is defined in code; for each instance, at its start.
   *
   * <p>A definition that was replaced stays replaced: in a rolling deployment, an instance of the
   * old code that restarts changes nothing and gets {@code Outdated}. To go back to an earlier
   * definition in code, give it another {@link Schedule#revision}. The last 50 definitions are
   * known. A paused schedule stays paused.
   */
  ScheduleChangeResult declare(Schedule schedule);

  /** Creates or replaces a schedule, the last caller wins; for schedules that come from data. */
  ScheduleChangeResult put(Schedule schedule);

  /** As {@link #declare(Schedule)}, in this transaction. */
  ScheduleChangeResult declare(Transaction tx, Schedule schedule);

  /**
   * As {@link #put(Schedule)}, in this transaction. If the transaction is stricter than READ
   * COMMITTED and does not see a schedule that another one has created at the same time, the call
   * fails with a serialization failure.
   */
  ScheduleChangeResult put(Transaction tx, Schedule schedule);

  /**
   * Creates a schedule if there is none with its name, else changes nothing: {@code Unchanged} if
   * the schedule is equal, {@code Conflict} if it differs.
   */
  ScheduleChangeResult createIfAbsent(Schedule schedule);

  /**
   * As {@link #put(Schedule)}, if the schedule still has this {@link ScheduleRecord#etag}.
   *
   * <p><b>Guarantee:</b> of all callers with the same etag, one makes its change; a fire in between
   * does not change the etag. An equal schedule is {@code Unchanged} for any etag.
   */
  ScheduleChangeResult putIfMatch(Schedule schedule, String etag);

  /** Stops the fires until {@link #resume}. */
  ScheduleChangeResult pause(String name);

  /** Continues with the fires after now: fires during the pause are no misfires. */
  ScheduleChangeResult resume(String name);

  /** As {@link #pause(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  ScheduleChangeResult pauseIfMatch(String name, String etag);

  /** As {@link #resume(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  ScheduleChangeResult resumeIfMatch(String name, String etag);

  /** As {@link #delete(String)}, if the schedule still has this {@link ScheduleRecord#etag}. */
  ScheduleChangeResult deleteIfMatch(String name, String etag);

  /** Creates an extra event that is due at once, also for a paused schedule. Changes no fire. */
  ScheduleTriggerResult trigger(String name);

  /**
   * Deletes a schedule; its events stay. An instance that declares it creates it again, so remove
   * it from the code first.
   */
  ScheduleChangeResult delete(String name);

  /** As {@link #delete(String)}, in this transaction. */
  ScheduleChangeResult delete(Transaction tx, String name);

  /** The schedule of this name. */
  Optional<ScheduleRecord> find(String name);

  /**
   * Returns schedules in the order of their names.
   *
   * @param afterName returns only names after this one; empty for the first page
   * @param limit the maximum number of schedules, 1 to 1000
   */
  List<ScheduleRecord> list(String afterName, int limit);

  /**
   * Creates the events of all due fires. Any instance may call it at any time; workers and a {@link
   * #runner} call it periodically.
   *
   * @throws dev.holdfast.transaction.TransactionStateException inside a current transaction
   */
  FireResult fireDue();

  /** The time until the next fire after now, by the clock of the database. */
  Optional<Duration> timeUntilNextFire();

  /**
   * Builds a service that fires due schedules, for instances without a worker: a worker fires them
   * itself. It polls for changes at least every 3 s.
   *
   * <p>Any number of instances may run one: each fire happens once. It sleeps until the next fire,
   * and uses one connection at a time. Issues in its health: {@code schedule-check-failed}, {@code
   * schedule-check-stalled} if the database does not respond for {@link #takeOverAfter}, and {@code
   * schedule-overdue} if a schedule is due and another session holds its row. If the table of
   * schedules does not exist, it checks once a minute, which is no issue. Detail: {@code
   * last-check}, the time since the last check.
   */
  BackgroundService runner();

  /** As {@link #runner()}, with this interval to poll for changes, 10 ms to 1 h. */
  BackgroundService runner(Duration pollInterval);

  /**
   * What {@link #fireDue} returns.
   *
   * @param events how many events it created
   * @param skipped how many fires created none because an earlier event had not ended
   * @param unreadable how many schedules it could not read, and skipped for instances of another
   *     version
   */
  record FireResult(int events, int skipped, int unreadable) {}
}
