package dev.holdfast.event.internal;

import java.util.ArrayList;
import java.util.List;

/** How many more bytes of payloads one claim may take; the first event is always taken. */
final class ByteCap {
  private long left;

  ByteCap(long bytes) {
    this.left = bytes;
  }

  boolean isFull() {
    return left <= 0;
  }

  void take(long bytes) {
    left -= bytes;
  }

  /** As many of these, from the first on, as there is room for. */
  static List<Claimed> within(long bytes, List<Claimed> events) {
    ByteCap cap = new ByteCap(bytes);
    List<Claimed> taken = new ArrayList<>(events.size());
    for (Claimed event : events) {
      if (cap.isFull()) {
        break;
      }
      cap.take(event.payload().size());
      taken.add(event);
    }
    return taken;
  }
}
