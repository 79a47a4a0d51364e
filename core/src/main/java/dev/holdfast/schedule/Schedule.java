package dev.holdfast.schedule;

import dev.holdfast.event.Event;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.regex.Pattern;

/**
 * A named recurrence that creates events: when it fires, and the event of each fire.
 *
 * <pre>{@code
 * Schedule.of("birthday/42", yearly(day, nine, madrid), BIRTHDAY.event(new Birthday(42, "Ana")))
 * }</pre>
 *
 * <p>The event has a type, payload, queue, priority and tags; an event with a due time, key or
 * deadline is rejected. Defaults: {@link MisfirePolicy#fireOnce()} after a minute, {@link
 * OverlapPolicy#ALLOW} and no jitter. Start and end are those of the {@link Recurrence}. Immutable
 * and thread-safe: each option returns a copy.
 */
public final class Schedule {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,89}");

  private final String name;
  private final Recurrence recurrence;
  private final Event<?> event;
  private final Options options;

  private record Options(
      MisfirePolicy misfire,
      Duration misfireThreshold,
      OverlapPolicy overlap,
      Duration jitter,
      int revision) {}

  private Schedule(String name, Recurrence recurrence, Event<?> event, Options options) {
    this.name = requireName(name);
    this.recurrence = Require.notNull(recurrence, "the recurrence of '" + name + "'");
    this.event = Require.notNull(event, "the event of '" + name + "'");
    this.options = options;
  }

  /** A schedule with this name, which is unique in the database. */
  public static Schedule of(String name, Recurrence recurrence, Event<?> event) {
    return new Schedule(
        name,
        recurrence,
        event,
        new Options(
            MisfirePolicy.fireOnce(),
            Duration.ofMinutes(1),
            OverlapPolicy.ALLOW,
            Duration.ZERO,
            0));
  }

  /**
   * Returns the name if a schedule may have it.
   *
   * @throws dev.holdfast.InvalidArgumentException if it may not
   */
  public static String requireName(String name) {
    Require.that(
        NAME.matcher(Require.notNull(name, "the name of a schedule")).matches(),
        () ->
            "the name of a schedule must be 1 to 90 letters, digits and . _ : / -, was "
                + Excerpt.quoted(name));
    return name;
  }

  /** The policy for misfires; {@link MisfirePolicy#fireOnce()} by default. */
  public Schedule misfire(MisfirePolicy policy) {
    return with(
        new Options(
            Require.notNull(policy, "policy"),
            options.misfireThreshold,
            options.overlap,
            options.jitter,
            options.revision));
  }

  /**
   * How late a fire may be before it is a misfire, from a second to an hour; a minute by default.
   */
  public Schedule misfireThreshold(Duration threshold) {
    Require.between(
        threshold,
        Duration.ofSeconds(1),
        Duration.ofHours(1),
        "the misfire threshold of '" + name + "'");
    return with(
        new Options(options.misfire, threshold, options.overlap, options.jitter, options.revision));
  }

  /**
   * The policy for a fire while the event of an earlier fire has not ended; {@link
   * OverlapPolicy#ALLOW} by default.
   */
  public Schedule overlap(OverlapPolicy policy) {
    return with(
        new Options(
            options.misfire,
            options.misfireThreshold,
            Require.notNull(policy, "policy"),
            options.jitter,
            options.revision));
  }

  /**
   * Delays each event by up to this time after its fire, at most a day, so that many schedules with
   * the same fire time do not run at once. The delay depends on the name and the fire time alone.
   */
  public Schedule jitter(Duration jitter) {
    Require.between(jitter, Duration.ZERO, Duration.ofDays(1), "the jitter of '" + name + "'");
    return with(
        new Options(
            options.misfire, options.misfireThreshold, options.overlap, jitter, options.revision));
  }

  /**
   * Makes this another definition even if all else is equal; 0 by default. Needed to go back, in
   * code, to a definition that was replaced: see {@link Schedules#declare}.
   */
  public Schedule revision(int revision) {
    return with(
        new Options(
            options.misfire, options.misfireThreshold, options.overlap, options.jitter, revision));
  }

  public String name() {
    return name;
  }

  public Recurrence recurrence() {
    return recurrence;
  }

  public Event<?> event() {
    return event;
  }

  /** The policy for misfires. */
  public MisfirePolicy misfire() {
    return options.misfire;
  }

  /** How late a fire may be before it is a misfire. */
  public Duration misfireThreshold() {
    return options.misfireThreshold;
  }

  /** The policy for a fire while the event of an earlier one has not ended. */
  public OverlapPolicy overlap() {
    return options.overlap;
  }

  /** By how much later than its fire an event may be due. */
  public Duration jitter() {
    return options.jitter;
  }

  /** Distinguishes definitions that are otherwise equal. */
  public int revision() {
    return options.revision;
  }

  private Schedule with(Options changed) {
    return new Schedule(name, recurrence, event, changed);
  }

  @Override
  public String toString() {
    return "schedule '" + name + "' " + recurrence;
  }
}
