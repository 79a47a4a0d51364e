package dev.holdfast.redis;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One that asks for a lease in tests: always with the same owner. */
record Asking(Target target, UUID owner, String holder) {
  static final Duration LEASE = Duration.ofSeconds(30);
  static final Duration MARK = Duration.ofSeconds(10);

  static Asking of(Target target, String holder) {
    return new Asking(target, UUID.randomUUID(), holder);
  }

  static Asking of(Target target) {
    return of(target, "a");
  }

  static String name() {
    return "test-" + UUID.randomUUID();
  }

  LeaseKey key() {
    return target.key();
  }

  Ownership hold() {
    return new Ownership(key(), owner);
  }

  Request request() {
    return request(LEASE, null);
  }

  Request waiting() {
    return request(LEASE, new WaitRegistration(MARK, false));
  }

  Request queued() {
    return request(LEASE, new WaitRegistration(MARK, true));
  }

  Request request(Duration lease, @Nullable WaitRegistration waiting) {
    return new Request(target, owner, holder, lease, waiting);
  }

  static long token(AcquireResult acquired) {
    if (acquired instanceof AcquireResult.Granted granted) {
      return granted.token();
    }
    throw new AssertionError("must be granted, was " + acquired);
  }

  static Duration untilChange(AcquireResult acquired) {
    if (acquired instanceof AcquireResult.Rejected taken) {
      return taken.untilChange();
    }
    throw new AssertionError("must be taken, was " + acquired);
  }
}
