package dev.holdfast.lease;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes the ids of acquisitions: unlike any other of this process, and with 128 random bits of the
 * process unlike those of others. To ask the secure generator each time would cost more than the
 * rest of an acquisition does here.
 */
final class Owners {
  private static final long HIGH;
  private static final long LOW;

  static {
    SecureRandom random = new SecureRandom();
    HIGH = random.nextLong();
    LOW = random.nextLong();
  }

  private static final AtomicLong COUNT = new AtomicLong();

  private Owners() {}

  static UUID next() {
    long low = mixed(LOW + COUNT.getAndIncrement());
    return new UUID(HIGH ^ ThreadLocalRandom.current().nextLong(), low);
  }

  /** Different for different numbers, and telling nothing about its neighbours at a glance. */
  private static long mixed(long number) {
    long mixed = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
