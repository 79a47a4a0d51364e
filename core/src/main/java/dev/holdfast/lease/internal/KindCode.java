package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKind;

/** The numbers by which kinds of leases are stored. */
final class KindCode {
  private KindCode() {}

  static int of(LeaseKind kind) {
    return switch (kind) {
      case EXCLUSIVE -> 0;
      case READ_WRITE -> 1;
      case SEMAPHORE -> 2;
    };
  }

  static LeaseKind read(int code) {
    return switch (code) {
      case 0 -> LeaseKind.EXCLUSIVE;
      case 1 -> LeaseKind.READ_WRITE;
      case 2 -> LeaseKind.SEMAPHORE;
      default -> throw new IllegalStateException("there is no kind of lease " + code);
    };
  }
}
