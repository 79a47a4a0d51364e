package dev.holdfast.web.event;

import dev.holdfast.event.EventId;
import java.util.List;

/** What is known of the attempts to handle an event. */
public interface AttemptLog {
  /** Those of this event that are kept, the oldest first, at most the last 100. */
  List<AttemptView> of(EventId id);
}
