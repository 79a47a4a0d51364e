package dev.holdfast.internal.lease.engine;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes owner ids: unique in this process by a counter, and unique across processes by 128 random
 * bits of the process. A call of the secure generator for each id would cost more than the rest of
 * an acquisition on this side.
 */
final class OwnerIds {
  private static final long HIGH;
  private static final long LOW;

  static {
    SecureRandom random = new SecureRandom();
    HIGH = random.nextLong();
    LOW = random.nextLong();
  }

  private static final AtomicLong COUNT = new AtomicLong();

  private OwnerIds() {}

  static UUID next() {
    long low = mixed(LOW + COUNT.getAndIncrement());
    return new UUID(HIGH ^ ThreadLocalRandom.current().nextLong(), low);
  }

  /** A bijection, so that different numbers stay different. */
  private static long mixed(long number) {
    long mixed = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
