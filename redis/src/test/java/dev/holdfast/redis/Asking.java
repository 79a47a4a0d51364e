package dev.holdfast.redis;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Waiting;
import dev.holdfast.lease.LeaseTarget;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One that asks for a lease in tests: always with the same owner. */
record Asking(LeaseTarget target, UUID owner, String holder) {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration MARK = Duration.ofSeconds(10);

  static Asking of(LeaseTarget target, String holder) {
    return new Asking(target, UUID.randomUUID(), holder);
  }

  static Asking of(LeaseTarget target) {
    return of(target, "a");
  }

  static String name() {
    return "test-" + UUID.randomUUID();
  }

  LeaseKey key() {
    return target.key();
  }

  Hold hold() {
    return new Hold(key(), owner);
  }

  Request request() {
    return request(LEASE, null);
  }

  Request waiting() {
    return request(LEASE, new Waiting(MARK, false));
  }

  Request queued() {
    return request(LEASE, new Waiting(MARK, true));
  }

  Request request(Duration lease, @Nullable Waiting waiting) {
    return new Request(target, owner, holder, lease, waiting);
  }

  static long token(Acquired acquired) {
    if (acquired instanceof Acquired.Granted granted) {
      return granted.token();
    }
    throw new AssertionError("must be granted, was " + acquired);
  }

  static Duration untilChange(Acquired acquired) {
    if (acquired instanceof Acquired.Taken taken) {
      return taken.untilChange();
    }
    throw new AssertionError("must be taken, was " + acquired);
  }
}
