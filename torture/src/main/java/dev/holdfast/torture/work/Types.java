package dev.holdfast.torture.work;

import dev.holdfast.event.EventType;
import java.util.List;

/** The types of events of a run, by the name of their queue. The payload is the key. */
public final class Types {
  /** The schedule that fires each second, and the queue of its events. */
  public static final String TICKS = "ticks";

  /** The queue with a limit for all instances. */
  public static final String LIMITED = "limited";

  /** All queues. */
  public static final List<String> QUEUES =
      List.of("plain", "immediate", "tx", "ordered", LIMITED, TICKS);

  static final EventType<String> PLAIN = EventType.of("plain", String.class);
  static final EventType<String> IMMEDIATE = EventType.of("immediate", String.class);
  static final EventType<String> TX = EventType.of("tx", String.class);
  static final EventType<String> ORDERED = EventType.of("ordered", String.class);
  static final EventType<String> LIMITED_TYPE = EventType.of(LIMITED, String.class);
  public static final EventType<String> TICK = EventType.of(TICKS, String.class);

  private Types() {}
}
