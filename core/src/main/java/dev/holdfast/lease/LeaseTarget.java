package dev.holdfast.lease;

import dev.holdfast.internal.Require;
import java.io.Serializable;

/**
 * What an acquisition asks for: of which key, and how much of it. A grant is possible while the
 * permits of all holders together do not exceed the capacity.
 *
 * @param permits how many of the capacity it takes
 * @param capacity how many there are, as this caller sees it
 */
public record LeaseTarget(LeaseKey key, int permits, int capacity) implements Serializable {
  /** The most permits that a semaphore can have. */
  public static final int MOST_PERMITS = 1_000_000;

  /** So many readers can read at once; a writer takes all of it. */
  private static final int READERS = MOST_PERMITS;

  /**
   * @throws dev.holdfast.InvalidArgumentException where the permits do not fit the capacity
   */
  public LeaseTarget {
    Require.notNull(key, "the key of a lease");
    if (capacity < 1 || capacity > MOST_PERMITS) {
      Require.between(capacity, 1, MOST_PERMITS, "the capacity of the lease " + key);
    }
    if (permits < 1 || permits > capacity) {
      Require.between(permits, 1, capacity, "the permits asked of the lease " + key);
    }
  }

  /** All of a name: the ordinary lease. */
  public static LeaseTarget exclusive(String name) {
    return new LeaseTarget(LeaseKey.exclusive(name), 1, 1);
  }

  /** With other readers, and no writer. Readers that come after a waiting writer wait for it. */
  public static LeaseTarget read(String name) {
    return new LeaseTarget(LeaseKey.readWrite(name), 1, READERS);
  }

  /** With no reader and no other writer. */
  public static LeaseTarget write(String name) {
    return new LeaseTarget(LeaseKey.readWrite(name), READERS, READERS);
  }

  /** One permit of a semaphore that has so many. */
  public static LeaseTarget permit(String name, int capacity) {
    return permits(name, 1, capacity);
  }

  /**
   * Several permits of a semaphore, all or none. All callers must say the same capacity; while it
   * is changed by a deployment, each goes by its own.
   */
  public static LeaseTarget permits(String name, int permits, int capacity) {
    return new LeaseTarget(LeaseKey.semaphore(name), permits, capacity);
  }

  /** Whether it is all of the capacity, so that there is no other holder. */
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
