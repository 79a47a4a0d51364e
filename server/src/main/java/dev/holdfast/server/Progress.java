package dev.holdfast.server;

/** Tells people what takes a moment; apart from what scripts read. */
final class Progress {
  private Progress() {}

  static void say(String what) {
    System.err.println("holdfast: " + what);
  }
}
