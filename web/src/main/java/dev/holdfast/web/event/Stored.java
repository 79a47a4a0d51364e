package dev.holdfast.web.event;

import dev.holdfast.event.EventRecord;

/**
 * What became of an event that was to be stored.
 *
 * @param event the new one, or the one that has its key
 */
record Stored(EventRecord event, Kind kind) {
  enum Kind {
    NEW,
    /** Its key is taken by the same. */
    SAME,
    /** Its key is taken by another one. */
    OTHER
  }
}
