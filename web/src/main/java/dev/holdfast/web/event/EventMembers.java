package dev.holdfast.web.event;

import dev.holdfast.event.Event;
import dev.holdfast.web.api.Members;
import java.util.List;

/** What events of requests and events of schedules may both say besides their call. */
public final class EventMembers {
  private EventMembers() {}

  /** The event with its {@code queue}, {@code priority}, {@code orderingKey} and {@code tags}. */
  public static <P> Event<P> read(Event<P> event, Members all) {
    Event<P> read = event;
    String queue = all.text("queue");
    if (queue != null) {
      Event<P> before = read;
      read = all.checked("queue", () -> before.queue(queue));
    }
    Integer priority = all.integer("priority");
    if (priority != null) {
      Event<P> before = read;
      read = all.checked("priority", () -> before.priority(priority));
    }
    String orderingKey = all.text("orderingKey");
    if (orderingKey != null) {
      Event<P> before = read;
      read = all.checked("orderingKey", () -> before.orderingKey(orderingKey));
    }
    List<String> tags = all.texts("tags");
    Event<P> untagged = read;
    return all.checked("tags", () -> untagged.tags(tags.toArray(String[]::new)));
  }
}
