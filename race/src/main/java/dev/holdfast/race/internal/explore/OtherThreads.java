package dev.holdfast.race.internal.explore;

import java.util.Set;
import java.util.stream.Collectors;

/** Threads that used the data source during an exploration and are no actor's. */
final class OtherThreads {
  private static final int MAX_NAMES = 5;

  private OtherThreads() {}

  static String names(Set<String> threads) {
    String names = threads.stream().limit(MAX_NAMES).collect(Collectors.joining(", "));
    return threads.size() > MAX_NAMES
        ? names + " and " + (threads.size() - MAX_NAMES) + " more"
        : names;
  }

  /** What to do about them, as the end of a message; empty if there were none. */
  static String hint(Set<String> threads) {
    return threads.isEmpty()
        ? ""
        : ". These threads used the data source, and no actor started them: "
            + names(threads)
            + ". If they belong to the application (pollers, schedulers, workers), switch them off"
            + " in this test, Holdfast's with holdfast.worker.enabled=false and"
            + " holdfast.schedules.enabled=false; if an actor passes work to them, that work must"
            + " use the data source of the actor";
  }
}
