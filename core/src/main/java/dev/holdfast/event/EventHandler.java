package dev.holdfast.event;

import dev.holdfast.event.HandlerOptions.FailureRule;
import dev.holdfast.internal.Require;
import dev.holdfast.transaction.Transaction;
import java.time.Duration;
import java.util.List;
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

  private final HandlerSpec<P> spec;

  private EventHandler(HandlerSpec<P> spec) {
    this.spec = spec;
  }

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
    return of(type, new HandlerSpec.Single<>(Require.notNull(body, "body")));
  }

  /**
   * Handles events in the transaction that completes them. What the code writes in {@code tx} and
   * the end of the event commit together, so its effects are exactly once. An exception rolls back
   * and means a retry.
   */
  public static <P> EventHandler<P> transactional(EventType<P> type, Transactional<P> body) {
    return of(type, new HandlerSpec.InTransaction<>(Require.notNull(body, "body")));
  }

  /**
   * Handles events without a thread while their stages are not complete, as many at a time as the
   * concurrency of their queue. The code must return soon. A stage that fails means a retry; a
   * stage that has to stop is cancelled, as a future. Outcomes are always stored in batches.
   */
  public static <P> EventHandler<P> async(EventType<P> type, Async<P> body) {
    return of(type, new HandlerSpec.Async<>(Require.notNull(body, "body")));
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
    return of(type, new HandlerSpec.Batch<>(maxSize, Require.notNull(body, "body")));
  }

  private static <P> EventHandler<P> of(EventType<P> type, HandlerSpec.Body<P> body) {
    return new EventHandler<>(
        new HandlerSpec<>(Require.notNull(type, "type"), HandlerOptions.DEFAULTS, body));
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
    return with(spec.options().timeout(timeout));
  }

  /** Sets how often and when failed attempts are retried. */
  public EventHandler<P> retry(RetryPolicy policy) {
    return with(spec.options().retries(policy));
  }

  /**
   * Maps failures of this type to an outcome other than a retry; the first mapping that fits
   * counts. A mapper that throws means a retry.
   */
  public <X extends Throwable> EventHandler<P> onFailure(
      Class<X> type, Function<? super X, Outcome> mapper) {
    Require.notNull(type, "type");
    Require.notNull(mapper, "mapper");
    return with(
        spec.options().rule(new FailureRule(type, failure -> mapper.apply(type.cast(failure)))));
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
        !(spec.body() instanceof HandlerSpec.Async),
        () -> "an async handler must not complete immediately, of '" + spec.type() + "'");
    return with(spec.options().immediately());
  }

  /**
   * Fails an event after this many crashes in a row while it was being handled, from 1 to 1000; by
   * default as many as {@link Worker.Builder#maxCrashes} allows.
   */
  public EventHandler<P> maxCrashes(int max) {
    return with(spec.options().maxCrashes(max));
  }

  /**
   * Never fails an event because instances crashed while they handled it. For code that cannot harm
   * its process. Of several crashes in a row, only the first counts as an attempt.
   */
  public EventHandler<P> unlimitedCrashes() {
    return with(spec.options().withoutCrashLimit());
  }

  private EventHandler<P> with(HandlerOptions options) {
    return new EventHandler<>(new HandlerSpec<>(spec.type(), options, spec.body()));
  }

  /** The type of the events that it handles. */
  public EventType<P> type() {
    return spec.type();
  }

  HandlerSpec<P> spec() {
    return spec;
  }

  @Override
  public String toString() {
    return "EventHandler[" + spec.type() + "]";
  }
}
