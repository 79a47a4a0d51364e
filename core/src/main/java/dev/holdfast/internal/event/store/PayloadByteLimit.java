package dev.holdfast.internal.event.store;

import java.util.ArrayList;
import java.util.List;

/** How many more bytes of payloads one claim may take; the first event is always taken. */
final class PayloadByteLimit {
  private long left;

  PayloadByteLimit(long bytes) {
    this.left = bytes;
  }

  boolean isFull() {
    return left <= 0;
  }

  void take(long bytes) {
    left -= bytes;
  }

  /** As many of these, from the first on, as there is room for. */
  static List<ClaimedEvent> within(long bytes, List<ClaimedEvent> events) {
    PayloadByteLimit cap = new PayloadByteLimit(bytes);
    List<ClaimedEvent> taken = new ArrayList<>(events.size());
    for (ClaimedEvent event : events) {
      if (cap.isFull()) {
        break;
      }
      cap.take(event.payload().size());
      taken.add(event);
    }
    return taken;
  }
}
