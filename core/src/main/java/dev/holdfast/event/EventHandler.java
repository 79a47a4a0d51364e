package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.transaction.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The code that handles the events of one type, and its options.
 *
 * <pre>{@code
 * EventHandler.returning(PAYMENT, (payment, context) -> gateway.charge(payment))
 *     .timeout(Duration.ofSeconds(30))
 *     .retry(RetryPolicy.standard().attempts(5))
 *     .onFailure(UserGoneException.class, gone -> Outcome.cancel("user deleted"));
 * }</pre>
 *
 * <p>A handler runs at least once for each event: an instance may die, or lose its lease, after the
 * work and before its outcome is stored. Only the effects of a {@link #transactional} handler are
 * exactly once. An exception means a retry, by default up to 10 attempts with a random delay that
 * grows from 1 s to 10 min. Register handlers with {@link Worker.Builder#handle(EventHandler)}; in
 * Spring Boot, make each of them a bean. Immutable: every method returns a copy. Thread-safe, as
 * far as the code in it is.
 */
public final class EventHandler<P> {
  private static final int MAX_BATCH_SIZE = 1000;
  private static final int UNLIMITED = Integer.MAX_VALUE;

  private final EventType<P> type;
  private final Body<P> body;
  private final Options options;

  private EventHandler(EventType<P> type, Body<P> body, Options options) {
    this.type = type;
    this.body = body;
    this.options = options;
  }

  /**
   * What can be set.
   *
   * @param maxCrashes empty for what {@link Worker.Builder#maxCrashes} says
   */
  private record Options(
      RetryPolicy retryPolicy,
      Duration timeout,
      boolean immediate,
      OptionalInt maxCrashes,
      List<Mapping> mappings) {
    static final Options DEFAULTS =
        new Options(
            RetryPolicy.standard(), Duration.ofMinutes(5), false, OptionalInt.empty(), List.of());

    Options {
      Require.notNull(retryPolicy, "policy");
      Require.between(timeout, Duration.ofMillis(1), Duration.ofDays(365), "timeout");
    }
  }

  /** Another outcome than a retry for failures of one type. */
  private record Mapping(Class<? extends Throwable> type, Function<Throwable, Outcome> mapper) {}

  /** Code that completes an event by returning. */
  @FunctionalInterface
  public interface Simple<P> {
    void handle(P payload, EventContext context) throws Exception;
  }

  /** Code that decides what happens to an event. */
  @FunctionalInterface
  public interface Returning<P> {
    Outcome handle(P payload, EventContext context) throws Exception;
  }

  /** Code that writes to the same database, in the transaction that completes the event. */
  @FunctionalInterface
  public interface Transactional<P> {
    void handle(P payload, Transaction tx, EventContext context) throws Exception;
  }

  /** Code that waits without a thread, such as for an HTTP response. */
  @FunctionalInterface
  public interface Async<P> {
    CompletionStage<Outcome> handle(P payload, EventContext context) throws Exception;
  }

  /** Code that handles several events of one type in one call. */
  @FunctionalInterface
  public interface Batch<P> {
    void handle(List<Item<P>> items) throws Exception;
  }

  /**
   * One event of a batch. If only this event is cancelled, its context says so; the thread is
   * interrupted only for the whole batch. Thread-safe.
   */
  public interface Item<P> {
    P payload();

    EventContext context();

    /**
     * Decides what happens to this event, whether the handler returns or throws afterwards. The
     * last call counts.
     *
     * @throws IllegalStateException if the handler has returned already, or if the event was taken
     *     away from it
     */
    void outcome(Outcome outcome);
  }

  /** The code of a handler, by its kind. */
  public sealed interface Body<P> {
    /** See {@link EventHandler#of} and {@link EventHandler#returning}. */
    record Single<P>(Returning<P> code) implements Body<P> {}

    /** See {@link EventHandler#transactional}. */
    record InTransaction<P>(Transactional<P> code) implements Body<P> {}

    /** See {@link EventHandler#async}. */
    record Asynchronous<P>(Async<P> code) implements Body<P> {}

    /** See {@link EventHandler#batch}. */
    record InBatches<P>(int maxSize, Batch<P> code) implements Body<P> {}
  }

  /**
   * Handles events with code that completes them by returning.
   *
   * <p>A lambda whose expression returns an {@link Outcome} compiles here, too, and the outcome is
   * ignored. Use {@link #returning} for it.
   */
  public static <P> EventHandler<P> of(EventType<P> type, Simple<P> body) {
    Require.notNull(body, "body");
    return returning(
        type,
        (payload, context) -> {
          body.handle(payload, context);
          return Outcome.complete();
        });
  }

  /** Handles events with code that decides what happens to them. */
  public static <P> EventHandler<P> returning(EventType<P> type, Returning<P> body) {
    return of(type, new Body.Single<>(Require.notNull(body, "body")));
  }

  /**
   * Handles events in the transaction that completes them. What the code writes in {@code tx} and
   * the end of the event commit together, so its effects are exactly once. An exception rolls back
   * and means a retry.
   */
  public static <P> EventHandler<P> transactional(EventType<P> type, Transactional<P> body) {
    return of(type, new Body.InTransaction<>(Require.notNull(body, "body")));
  }

  /**
   * Handles events without a thread while their stages are not complete, as many at a time as the
   * concurrency of their queue. The code must return soon. A stage that fails means a retry; a
   * stage that has to stop is cancelled, as a future. Outcomes are always stored in batches.
   */
  public static <P> EventHandler<P> async(EventType<P> type, Async<P> body) {
    return of(type, new Body.Asynchronous<>(Require.notNull(body, "body")));
  }

  /**
   * Handles up to {@code maxSize} events in one call, from 1 to 1000. If the code returns, items
   * without an {@link Item#outcome} complete. If it throws, they are retried, each by its own
   * attempts. Items with an outcome keep it in both cases.
   *
   * <p>A batch does not wait for more events: it takes what is due and not yet started, at least
   * one event, in the order in which they are due. The timeout is for the whole call. Such events
   * are best in a queue of their own, because the worker claims enough for a full batch of each of
   * its handlers.
   */
  public static <P> EventHandler<P> batch(EventType<P> type, int maxSize, Batch<P> body) {
    Require.between(maxSize, 1, MAX_BATCH_SIZE, "maxSize");
    return of(type, new Body.InBatches<>(maxSize, Require.notNull(body, "body")));
  }

  private static <P> EventHandler<P> of(EventType<P> type, Body<P> body) {
    return new EventHandler<>(Require.notNull(type, "type"), body, Options.DEFAULTS);
  }

  /**
   * Limits the time of one attempt; 5 minutes by default, from 1 ms to 365 days.
   *
   * <p>After it the code is asked to stop, by its context and an interrupt. What it throws then is
   * a failed attempt, and a transactional handler that returns too late is rolled back. Any other
   * handler that returns has done its work, and its outcome counts, with a warning. If the code
   * does not return within five more seconds, its event is taken away and its outcome is rejected.
   */
  public EventHandler<P> timeout(Duration timeout) {
    return with(
        new Options(
            options.retryPolicy, timeout, options.immediate, options.maxCrashes, options.mappings));
  }

  /** Sets how often and when failed attempts are retried. */
  public EventHandler<P> retry(RetryPolicy policy) {
    return with(
        new Options(
            policy, options.timeout, options.immediate, options.maxCrashes, options.mappings));
  }

  /**
   * Maps failures of this type to an outcome other than a retry; the first mapping that fits
   * counts. A mapper that throws means a retry.
   */
  public <X extends Throwable> EventHandler<P> onFailure(
      Class<X> type, Function<? super X, Outcome> mapper) {
    Require.notNull(type, "type");
    Require.notNull(mapper, "mapper");
    List<Mapping> more = new ArrayList<>(options.mappings);
    more.add(new Mapping(type, failure -> mapper.apply(type.cast(failure))));
    return with(
        new Options(
            options.retryPolicy,
            options.timeout,
            options.immediate,
            options.maxCrashes,
            List.copyOf(more)));
  }

  /**
   * Stores each outcome before the same thread handles the next event. By default outcomes are
   * stored in batches, within milliseconds, which is faster; after a crash in between, those events
   * are handled again.
   *
   * @throws dev.holdfast.InvalidArgumentException for an {@link #async} handler
   */
  public EventHandler<P> completeImmediately() {
    Require.that(
        !(body instanceof Body.Asynchronous),
        () -> "an async handler must not complete immediately, of '" + type + "'");
    return with(
        new Options(
            options.retryPolicy, options.timeout, true, options.maxCrashes, options.mappings));
  }

  /**
   * Fails an event after this many crashes in a row while it was being handled, from 1 to 1000; by
   * default as many as {@link Worker.Builder#maxCrashes} allows.
   */
  public EventHandler<P> maxCrashes(int max) {
    Require.between(max, 1, 1000, "maxCrashes");
    return with(
        new Options(
            options.retryPolicy,
            options.timeout,
            options.immediate,
            OptionalInt.of(max),
            options.mappings));
  }

  /**
   * Never fails an event because instances crashed while they handled it. For code that cannot harm
   * its process. Of several crashes in a row, only the first counts as an attempt.
   */
  public EventHandler<P> unlimitedCrashes() {
    return with(
        new Options(
            options.retryPolicy,
            options.timeout,
            options.immediate,
            OptionalInt.of(UNLIMITED),
            options.mappings));
  }

  private EventHandler<P> with(Options changed) {
    return new EventHandler<>(type, body, changed);
  }

  /** The type of the events that it handles. */
  public EventType<P> type() {
    return type;
  }

  /** Its code. */
  public Body<P> body() {
    return body;
  }

  /** How many events one call takes at most; 1 unless it is a {@link #batch} handler. */
  public int maxBatchSize() {
    return body instanceof Body.InBatches<P> batch ? batch.maxSize() : 1;
  }

  /** See {@link #timeout(Duration)}. */
  public Duration timeout() {
    return options.timeout;
  }

  /** See {@link #retry}. */
  public RetryPolicy retryPolicy() {
    return options.retryPolicy;
  }

  /** See {@link #completeImmediately}. */
  public boolean completesImmediately() {
    return options.immediate;
  }

  /** See {@link #maxCrashes(int)}; empty if the limit of the worker counts, or none. */
  public OptionalInt maxCrashes() {
    return hasCrashLimit() ? options.maxCrashes : OptionalInt.empty();
  }

  /** False for {@link #unlimitedCrashes}. */
  public boolean hasCrashLimit() {
    return options.maxCrashes.orElse(0) != UNLIMITED;
  }

  /**
   * What a failure means by the mappings of {@link #onFailure} and the retry policy.
   *
   * @param attempt the number of the attempt that failed, from 1 on
   */
  public Outcome outcomeOf(Throwable failure, int attempt) {
    for (Mapping mapping : options.mappings) {
      if (mapping.type.isInstance(failure)) {
        return Require.notNull(
            mapping.mapper.apply(failure), "the outcome for a " + mapping.type.getName());
      }
    }
    return options.retryPolicy.outcomeOf(failure, attempt);
  }

  @Override
  public String toString() {
    return "EventHandler[" + type + "]";
  }
}
