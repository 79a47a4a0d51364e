package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.jdbc.SourceLines;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.Locale;

/** What a thread that does not come does, seen from outside. */
public final class ThreadSnapshot {
  private static final int DEPTH = 60;
  private static final String CONTROLLED = "dev.holdfast.race.internal.jdbc.";

  private final ThreadInfo info;

  private ThreadSnapshot(ThreadInfo info) {
    this.info = info;
  }

  public static ThreadSnapshot at(Thread thread) {
    ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(idOf(thread), DEPTH);
    return new ThreadSnapshot(info);
  }

  @SuppressWarnings("deprecation") // threadId() is there from 19 on
  private static long idOf(Thread thread) {
    return thread.getId();
  }

  private boolean there() {
    return info != null;
  }

  /** Whether it waits for a lock that this thread has. */
  boolean waitsFor(Thread owner) {
    return there() && info.getLockOwnerId() == idOf(owner);
  }

  /** The lock it waits for. */
  String lock() {
    return there() && info.getLockName() != null ? info.getLockName() : "a lock";
  }

  /** Whether it waits for a connection of a pool. */
  public boolean waitsForPool() {
    return there()
        && (info.getThreadState() == Thread.State.TIMED_WAITING
            || info.getThreadState() == Thread.State.WAITING)
        && Arrays.stream(info.getStackTrace()).anyMatch(ThreadSnapshot::isPool);
  }

  private static boolean isPool(StackTraceElement frame) {
    String name = frame.getClassName().toLowerCase(Locale.ROOT);
    String method = frame.getMethodName().toLowerCase(Locale.ROOT);
    return name.contains("pool") && (method.contains("connection") || method.contains("borrow"));
  }

  /** Whether it waits in Java, and not in a database. */
  boolean sleeps() {
    return there() && info.getThreadState() != Thread.State.RUNNABLE && !waitsForAnswer();
  }

  /**
   * Whether it computes, waits for some time, or waits for an answer through the connections of its
   * actor.
   */
  boolean isAtWork() {
    return there()
        && !waitsElsewhere()
        && (info.getThreadState() == Thread.State.RUNNABLE
            || info.getThreadState() == Thread.State.TIMED_WAITING
            || waitsForAnswer());
  }

  /** Whether it waits for a response from outside the database of its actor. */
  boolean waitsElsewhere() {
    return waitsForAnswer()
        && Arrays.stream(info.getStackTrace())
            .noneMatch(frame -> frame.getClassName().startsWith(CONTROLLED));
  }

  /** Whether it reads from the network, or is in the database that runs in this JVM. */
  boolean waitsForAnswer() {
    return there()
        && Arrays.stream(info.getStackTrace())
            .anyMatch(
                frame ->
                    frame.getClassName().contains("Socket")
                        || frame.getClassName().startsWith("org.h2.")
                        || frame.getClassName().startsWith("org.hsqldb."));
  }

  /** Where it is, in the code of the user if that is known. */
  String place() {
    if (!there()) {
      return "at an unknown place";
    }
    StackTraceElement[] stack = info.getStackTrace();
    StackTraceElement shown =
        Arrays.stream(stack)
            .filter(frame -> SourceLines.isOfCode(frame.getClassName()))
            .findFirst()
            .orElse(stack.length == 0 ? null : stack[0]);
    return info.getThreadState() + (shown == null ? "" : " at " + lineOf(shown));
  }

  private static String lineOf(StackTraceElement frame) {
    return frame.getClassName()
        + "."
        + frame.getMethodName()
        + "("
        + frame.getFileName()
        + ":"
        + frame.getLineNumber()
        + ")";
  }
}
