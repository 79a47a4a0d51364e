package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventStatus;

/** How the tables keep a status. */
final class StatusCode {
  private StatusCode() {}

  static short of(EventStatus status) {
    return switch (status) {
      case PENDING -> 0;
      case PROCESSING -> 1;
      case COMPLETED -> 2;
      case FAILED -> 3;
      case CANCELLED -> 4;
    };
  }

  static EventStatus read(int code) {
    return switch (code) {
      case 0 -> EventStatus.PENDING;
      case 1 -> EventStatus.PROCESSING;
      case 2 -> EventStatus.COMPLETED;
      case 3 -> EventStatus.FAILED;
      case 4 -> EventStatus.CANCELLED;
      default -> throw new IllegalStateException("there is no status " + code);
    };
  }
}
