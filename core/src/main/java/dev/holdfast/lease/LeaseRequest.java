package dev.holdfast.lease;

import dev.holdfast.LeaseLostException;
import dev.holdfast.internal.CheckReturnValue;
import dev.holdfast.internal.Require;
import java.io.Serializable;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Describes one acquisition of a lease: which lease, for how long, and how to wait for it.
 *
 * <pre>{@code
 * leases.acquire(LeaseRequest.of("payment:42", Duration.ofSeconds(30)).autoRenew());
 * }</pre>
 *
 * <p>An immutable value: each option returns a copy.
 */
@CheckReturnValue
public final class LeaseRequest implements Serializable {
  /** The largest number of permits of a semaphore. */
  public static final int MAX_PERMITS = 1_000_000;

  /** How long a request waits by default. */
  public static final Duration DEFAULT_WAIT_TIMEOUT = Duration.ofSeconds(30);

  /**
   * Which lease, and how many of its permits. A grant is possible while the permits of all holders
   * together do not exceed the capacity.
   *
   * @param permits how many permits a grant takes
   * @param capacity how many permits there are, as this caller sees it
   */
  public record Target(LeaseKey key, int permits, int capacity) implements Serializable {
    /** The number of concurrent readers; a writer takes all of them. */
    private static final int READERS = MAX_PERMITS;

    /**
     * @throws dev.holdfast.InvalidArgumentException if the permits do not fit the capacity
     */
    public Target {
      Require.notNull(key, "the key of a lease");
      if (capacity < 1 || capacity > MAX_PERMITS) {
        Require.between(capacity, 1, MAX_PERMITS, "the capacity of the lease " + key);
      }
      if (permits < 1 || permits > capacity) {
        Require.between(permits, 1, capacity, "the permits of the lease " + key);
      }
    }

    /** An exclusive lease. */
    public static Target exclusive(String name) {
      return new Target(LeaseKey.exclusive(name), 1, 1);
    }

    /** The read side of a read/write lease. */
    public static Target read(String name) {
      return new Target(LeaseKey.readWrite(name), 1, READERS);
    }

    /** The write side of a read/write lease. */
    public static Target write(String name) {
      return new Target(LeaseKey.readWrite(name), READERS, READERS);
    }

    /** Permits of a semaphore. */
    public static Target permits(String name, int permits, int capacity) {
      return new Target(LeaseKey.semaphore(name), permits, capacity);
    }

    /** Whether it takes the whole capacity, so that there is no other holder. */
    public boolean isExclusive() {
      return permits == capacity;
    }

    @Override
    public String toString() {
      return switch (key.kind()) {
        case EXCLUSIVE -> key.toString();
        case READ_WRITE -> (isExclusive() ? "write " : "read ") + key;
        case SEMAPHORE -> permits + " of " + capacity + " of " + key;
      };
    }
  }

  private static final long serialVersionUID = 1L;
  private static final Duration MAX_WAIT_TIMEOUT = Duration.ofDays(1);

  private final Target target;
  private final Duration duration;
  private final Duration waitTimeout;
  private final boolean autoRenew;
  private final boolean fair;
  private final boolean reentrant;
  private final boolean allowInTransaction;

  private LeaseRequest(
      Target target,
      Duration duration,
      Duration waitTimeout,
      boolean autoRenew,
      boolean fair,
      boolean reentrant,
      boolean allowInTransaction) {
    this.target = target;
    this.duration = duration;
    this.waitTimeout = waitTimeout;
    this.autoRenew = autoRenew;
    this.fair = fair;
    this.reentrant = reentrant;
    this.allowInTransaction = allowInTransaction;
  }

  private static LeaseRequest of(Target target, Duration duration) {
    Require.between(
        duration, Leases.MIN_DURATION, Leases.MAX_DURATION, "the duration of the lease " + target);
    return new LeaseRequest(target, duration, DEFAULT_WAIT_TIMEOUT, false, false, false, false);
  }

  /**
   * The exclusive lease of this name.
   *
   * @param name 1 to 300 characters of any script
   * @param duration 100 ms to 7 days
   * @throws dev.holdfast.InvalidArgumentException if the name or the duration is out of range
   */
  public static LeaseRequest of(String name, Duration duration) {
    return of(Target.exclusive(name), duration);
  }

  /**
   * The read side of a read/write lease: any number of readers, but no writer. Readers that arrive
   * after a waiting writer wait for that writer.
   */
  public static LeaseRequest read(String name, Duration duration) {
    return of(Target.read(name), duration);
  }

  /** The write side of a read/write lease: no reader and no other writer. */
  public static LeaseRequest write(String name, Duration duration) {
    return of(Target.write(name), duration);
  }

  /**
   * Permits of a semaphore, all or none. All callers must pass the same capacity; each request is
   * decided by its own.
   *
   * @param permits how many permits to take, 1 to {@code capacity}
   * @param capacity how many permits the semaphore has, up to {@link #MAX_PERMITS}
   */
  public static LeaseRequest permits(String name, int permits, int capacity, Duration duration) {
    return of(Target.permits(name, permits, capacity), duration);
  }

  /**
   * How long to wait while another holder has the lease, 0 to 1 day. Default: 30 s. {@code
   * tryAcquire} never waits.
   */
  public LeaseRequest waitTimeout(Duration timeout) {
    Require.between(timeout, Duration.ZERO, MAX_WAIT_TIMEOUT, "the wait timeout of a lease");
    return new LeaseRequest(
        target, duration, timeout, autoRenew, fair, reentrant, allowInTransaction);
  }

  /**
   * Renews the lease automatically until it is released, five times per duration. If renewal fails
   * until a quarter of the duration is left, the lease is lost and {@link Lease#onLost} runs.
   * Default: not renewed.
   */
  public LeaseRequest autoRenew() {
    return new LeaseRequest(
        target, duration, waitTimeout, true, fair, reentrant, allowInTransaction);
  }

  /**
   * Waits in the order of arrival, among all fair requests; other requests may overtake them. This
   * costs more, because the store keeps a queue. Read/write leases and semaphores are always fair.
   */
  public LeaseRequest fair() {
    return new LeaseRequest(
        target, duration, waitTimeout, autoRenew, true, reentrant, allowInTransaction);
  }

  /**
   * Lets a thread acquire a lease again that it already holds, with the same token, if both
   * requests are reentrant. The lease is released when it has been released as often as it was
   * acquired.
   *
   * <p>If the lease of the thread has expired and was not released, the next reentrant request of
   * that thread fails once with {@link LeaseLostException}: the outer work is no longer protected.
   * The request after that acquires the lease anew.
   */
  public LeaseRequest reentrant() {
    return new LeaseRequest(
        target, duration, waitTimeout, autoRenew, fair, true, allowInTransaction);
  }

  /**
   * Allows to acquire and release the lease while a transaction is open on the thread. Use it only
   * if the lease does not protect what the transaction reads or writes.
   */
  public LeaseRequest allowInTransaction() {
    return new LeaseRequest(target, duration, waitTimeout, autoRenew, fair, reentrant, true);
  }

  /** The requested lease. */
  public LeaseKey key() {
    return target.key();
  }

  /** The requested duration. */
  public Duration duration() {
    return duration;
  }

  /** How long the request waits. */
  public Duration waitTimeout() {
    return waitTimeout;
  }

  /** The lease and the permits. */
  public Target target() {
    return target;
  }

  /** Whether the lease is renewed automatically. */
  public boolean isAutoRenew() {
    return autoRenew;
  }

  /** Whether the request waits in the order of arrival. */
  public boolean isFair() {
    return fair;
  }

  /** Whether the thread that holds the lease may acquire it again. */
  public boolean isReentrant() {
    return reentrant;
  }

  /** Whether a transaction may be open on the thread. */
  public boolean isAllowedInTransaction() {
    return allowInTransaction;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LeaseRequest request
        && target.equals(request.target)
        && duration.equals(request.duration)
        && waitTimeout.equals(request.waitTimeout)
        && autoRenew == request.autoRenew
        && fair == request.fair
        && reentrant == request.reentrant
        && allowInTransaction == request.allowInTransaction;
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        target, duration, waitTimeout, autoRenew, fair, reentrant, allowInTransaction);
  }

  @Override
  public String toString() {
    return target + " for " + duration;
  }
}
