package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.LeaseKey;

/** The stored numbers of the kinds of leases. */
final class KindCode {
  private KindCode() {}

  static int of(LeaseKey.Kind kind) {
    return switch (kind) {
      case EXCLUSIVE -> 0;
      case READ_WRITE -> 1;
      case SEMAPHORE -> 2;
    };
  }

  static LeaseKey.Kind read(int code) {
    return switch (code) {
      case 0 -> LeaseKey.Kind.EXCLUSIVE;
      case 1 -> LeaseKey.Kind.READ_WRITE;
      case 2 -> LeaseKey.Kind.SEMAPHORE;
      default -> throw new IllegalStateException("unknown kind of lease: " + code);
    };
  }
}
