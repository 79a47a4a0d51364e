package dev.holdfast.internal.event.engine;

/** The texts that instances send each other. */
final class NotificationText {
  private static final String QUEUE = "queue ";

  /** Something about running or paused events has changed: look at once. */
  static final String LOOK = "look";

  private NotificationText() {}

  static String queue(String name) {
    return QUEUE + name;
  }

  static boolean isQueue(String text) {
    return text.startsWith(QUEUE);
  }

  static String queueOf(String text) {
    return text.substring(QUEUE.length());
  }
}
