package dev.holdfast.lease;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.sql.Transactions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Acquires leases: one holder at a time for a name, among all processes that use the same store.
 *
 * <pre>{@code
 * try (Lease lease = leases.acquire("payment:42", Duration.ofSeconds(30))) {
 *   transactions.run(tx -> {
 *     fence.check(tx, "payment:42", lease.token());
 *     …
 *   });
 * }
 * }</pre>
 *
 * <p>A lease is held for its duration, and not longer, whatever happens to its holder. Acquire it
 * before a transaction begins, and release it after it has ended; the other way round is refused
 * inside transactions of Holdfast and, as far as it knows of them, of a framework.
 *
 * <p>By default a lease is not renewed by itself, waiting is in no particular order, and a thread
 * that has a lease does not get it once more. Copies with other settings share the threads and the
 * subscription. There are threads only while there is something to renew, to watch or to wait for;
 * nothing needs to be closed. Immutable and thread-safe.
 */
public final class Leases {
  /** The shortest duration of a lease. */
  public static final Duration SHORTEST = Duration.ofMillis(100);

  /** The longest duration of a lease. */
  public static final Duration LONGEST = Duration.ofDays(7);

  private static final Duration LONGEST_WAIT = Duration.ofDays(1);
  private static final int LONGEST_NAME_OF_HOLDER = 100;
  private static final int MOST_LISTED = 1000;

  private final LeaseEngine engine;
  private final LeaseSettings settings;

  private Leases(LeaseEngine engine, LeaseSettings settings) {
    this.engine = engine;
    this.settings = settings;
  }

  /** Over a store of leases. Make one per store and keep it. */
  public static Leases on(LeaseStore store) {
    return new Leases(
        new LeaseEngine(Require.notNull(store, "store"), null, null), LeaseSettings.STANDARD);
  }

  /**
   * With this name for operators to read, at most 100 characters and no asterisk at the beginning;
   * host and process by default. It shares nothing with the leases that it is made from.
   */
  public Leases named(String holder) {
    Require.notBlank(holder, "the name of a holder");
    Require.that(
        holder.length() <= LONGEST_NAME_OF_HOLDER,
        () -> "the name of a holder must have at most 100 characters, had " + holder.length());
    Require.that(
        holder.chars().noneMatch(Character::isISOControl),
        () -> "the name of a holder must have no control characters: " + Excerpt.quoted(holder));
    Require.that(
        !holder.startsWith("*"),
        () -> "the name of a holder must not begin with an asterisk: " + Excerpt.quoted(holder));
    // what cannot be stored in a name of a lease cannot be stored here
    return new Leases(engine.named(LeaseKey.exclusive(holder).name()), settings);
  }

  /**
   * Refusing to be acquired or released in the current transaction of these too, such as one of a
   * framework. It shares nothing with the leases that it is made from.
   */
  public Leases outside(Transactions transactions) {
    return new Leases(engine.outside(Require.notNull(transactions, "transactions")), settings);
  }

  /** With none of the settings below, on the same engine. */
  Leases plain() {
    return with(LeaseSettings.STANDARD);
  }

  LeaseEngine engine() {
    return engine;
  }

  private Leases with(LeaseSettings other) {
    return new Leases(engine, other);
  }

  /**
   * Renewing leases by themselves until they are released, five times per duration. Where it does
   * not work until a quarter of the duration is left, the lease is lost, and its holder told.
   */
  public Leases renewing() {
    return with(settings.withRenewing(true));
  }

  /**
   * Waiting in the order of arrival, among all who ask for it in this way; others pass by. It costs
   * more, as the store keeps a queue. Shared leases always keep to it.
   */
  public Leases fair() {
    return with(settings.withFair());
  }

  /**
   * Giving a thread a lease that it already has, with the same token, if both times it asks in this
   * way; it is released when it was released as often.
   *
   * <p>A thread whose lease has expired, and that has not released it, gets a {@link
   * LeaseLostException} when it asks again, once: its outer work is no longer protected. The next
   * time it is acquired anew.
   */
  public Leases reentrant() {
    return with(settings.withReentrant());
  }

  /** Acquiring and releasing also inside a transaction that has nothing to do with the lease. */
  public Leases insideTransactions() {
    return with(settings.withInsideTransactions());
  }

  /** Waiting for so long where a call does not say how long; 30 s by default. */
  public Leases patience(Duration wait) {
    return with(settings.withPatience(requireWait(wait)));
  }

  /**
   * The exclusive lease of this name, if it is free now.
   *
   * @throws LeaseLostException with {@link #reentrant()}, where this thread had it and it has
   *     expired
   */
  public Optional<Lease> tryAcquire(String name, Duration duration) {
    return tryAcquire(LeaseTarget.exclusive(name), duration);
  }

  /**
   * This lease, if it is to be had now. Where its row is locked by another process, such as one
   * that was suspended in the middle of acquiring it, this takes a few seconds at most, and then
   * fails with a retryable exception.
   */
  public Optional<Lease> tryAcquire(LeaseTarget target, Duration duration) {
    return Optional.ofNullable(acquired(target, duration, Duration.ZERO));
  }

  /**
   * The exclusive lease of this name, waiting for it at most for the {@link #patience}.
   *
   * <p>While the store fails in a way that may pass, it is asked again until the wait is over.
   * Where another process has locked the row of a shared or fair lease in the database, that is a
   * part of the wait.
   *
   * @throws LeaseTakenException where others had it all the time, or the thread was interrupted,
   *     which it stays
   * @throws dev.holdfast.HoldfastException where the store failed, and still did so when it was
   *     asked for the last time
   */
  public Lease acquire(String name, Duration duration) {
    return acquire(name, duration, settings.patience());
  }

  /** As {@link #acquire(String, Duration)}, waiting at most for {@code wait}. */
  public Lease acquire(String name, Duration duration, Duration wait) {
    return acquire(LeaseTarget.exclusive(name), duration, wait);
  }

  /** As {@link #acquire(String, Duration)}, for any lease. */
  public Lease acquire(LeaseTarget target, Duration duration, Duration wait) {
    Lease lease = acquired(target, duration, wait);
    if (lease == null) {
      throw new LeaseTakenException(target, wait, Thread.currentThread().isInterrupted());
    }
    return lease;
  }

  /**
   * Runs {@code work} under the exclusive lease of this name, and releases it.
   *
   * @throws LeaseTakenException where it was not to be had; the work has not begun
   * @throws LeaseLostException where it was lost before the work had ended
   */
  public <T extends @Nullable Object, X extends Exception> T withLease(
      String name, Duration duration, Duration wait, LeasedWork<T, X> work) throws X {
    Require.notNull(work, "work");
    try (Lease lease = acquire(name, duration, wait)) {
      return work.under(lease);
    }
  }

  /** All of these exclusive leases or none, if they are free now. */
  public Optional<LeaseGroup> tryAcquireAll(Collection<String> names, Duration duration) {
    return Optional.ofNullable(
        gathering().gather(exclusive(names), checked(duration), Duration.ZERO, missing -> {}));
  }

  /**
   * All of these exclusive leases or none, waiting at most for {@code wait} in all.
   *
   * @throws LeaseTakenException where one of them was not to be had; then none is held
   */
  public LeaseGroup acquireAll(Collection<String> names, Duration duration, Duration wait) {
    return acquireAllOf(exclusive(names), duration, wait);
  }

  /** As {@link #acquireAll}, for any leases, each key once. */
  public LeaseGroup acquireAllOf(
      Collection<LeaseTarget> targets, Duration duration, Duration wait) {
    AtomicReference<LeaseTarget> missing = new AtomicReference<>();
    LeaseGroup group =
        gathering().gather(targets, checked(duration), requireWait(wait), missing::set);
    if (group == null) {
      throw new LeaseTakenException(missing.get(), wait, Thread.currentThread().isInterrupted());
    }
    return group;
  }

  private static List<LeaseTarget> exclusive(Collection<String> names) {
    return Require.notNull(names, "the names of leases").stream()
        .map(LeaseTarget::exclusive)
        .toList();
  }

  private Gathering gathering() {
    return new Gathering(engine, settings);
  }

  private @Nullable Lease acquired(LeaseTarget target, Duration duration, Duration wait) {
    Require.notNull(target, "the lease to acquire");
    return engine.acquire(target, checked(duration), requireWait(wait), settings);
  }

  private static Duration checked(Duration duration) {
    return Require.between(duration, SHORTEST, LONGEST, "the duration of a lease");
  }

  private static Duration requireWait(Duration wait) {
    return Require.between(wait, Duration.ZERO, LONGEST_WAIT, "the wait for a lease");
  }

  /** How a lease is now: for operators, not to decide by. */
  public Optional<LeaseRecord> find(LeaseKey key) {
    return engine.store().find(Require.notNull(key, "key"));
  }

  /**
   * The leases that are held or waited for, in the order of their keys.
   *
   * @param prefix with what their names begin, as far as a name can; empty for all
   * @param after only those after this key, for the next page; null for the first
   * @param most how many at most, up to 1000
   */
  public List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int most) {
    if (!Require.notNull(prefix, "prefix").isEmpty()) {
      // what cannot be stored in a name, databases refuse each in its own way
      LeaseKey.exclusive(prefix);
    }
    return engine.store().list(prefix, after, Require.between(most, 1, MOST_LISTED, "most"));
  }

  /**
   * Takes a lease from all its holders: for operators, when a holder hangs. The token rises, so
   * that a {@link Fence} that has seen the raised one refuses the old holder; it is told with its
   * next renewal.
   *
   * @return the raised token, or nothing where nobody held it
   */
  public OptionalLong forceRelease(LeaseKey key) {
    return engine.store().forceRelease(Require.notNull(key, "key"));
  }
}
