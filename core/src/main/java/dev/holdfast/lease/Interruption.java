package dev.holdfast.lease;

/** Interrupts a thread while it does something, and never after. Thread-safe. */
final class Interruption {
  private final Thread thread;
  private boolean sent;
  private boolean ended;

  Interruption(Thread thread) {
    this.thread = thread;
  }

  synchronized void interrupt() {
    if (!ended) {
      sent = true;
      thread.interrupt();
    }
  }

  /** Whether it was interrupted by this. */
  synchronized boolean isSent() {
    return sent;
  }

  /**
   * Ends it, on the thread itself, which then is not interrupted.
   *
   * @return whether it was, by somebody else
   */
  synchronized boolean end() {
    ended = true;
    return Thread.interrupted() && !sent;
  }
}
