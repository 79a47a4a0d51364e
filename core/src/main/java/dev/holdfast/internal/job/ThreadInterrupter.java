package dev.holdfast.internal.job;

/** Interrupts a thread while it runs an action, and never after. Thread-safe. */
final class ThreadInterrupter {
  private final Thread thread;
  private boolean sent;
  private boolean ended;

  ThreadInterrupter(Thread thread) {
    this.thread = thread;
  }

  synchronized void interrupt() {
    if (!ended) {
      sent = true;
      thread.interrupt();
    }
  }

  /** Whether this object has interrupted the thread. */
  synchronized boolean isSent() {
    return sent;
  }

  /**
   * Ends the action, on the thread itself, and clears its interrupt status.
   *
   * @return whether the thread was interrupted by other code
   */
  synchronized boolean end() {
    ended = true;
    return Thread.interrupted() && !sent;
  }
}
