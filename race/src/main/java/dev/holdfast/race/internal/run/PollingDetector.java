package dev.holdfast.race.internal.run;

import java.util.ArrayList;
import java.util.List;

/**
 * Detects an actor that repeats the same queries, changes nothing, and always reads the same
 * results: it waits for another actor, but not for a lock of the database. Until another actor
 * goes, it would read nothing new.
 */
final class PollingDetector {

  /** So often that a loop that gives up after a few times has given up. */
  private static final int REPEATS = 5;

  private static final int MAX_LOOP = 8;

  private final List<String> heard = new ArrayList<>();
  private int loop;
  private int sinceAnother;

  /** A step was made that has changed nothing, and this is what was asked and answered. */
  void heard(String step) {
    heard.add(step);
    if (loop == 0 || !repeats(loop, loop + 1)) {
      loop = findLoop();
    }
  }

  /** A step was made that has changed something. */
  void changed() {
    heard.clear();
    loop = 0;
    sinceAnother = 0;
  }

  void anotherGoes() {
    sinceAnother = heard.size();
  }

  /** Whether it has repeated all its queries, and no other actor has gone since. */
  boolean waits() {
    return loop > 0 && heard.size() - sinceAnother >= loop;
  }

  private int findLoop() {
    for (int length = 1; length <= MAX_LOOP; length++) {
      if (repeats(length, length * REPEATS)) {
        return length;
      }
    }
    return 0;
  }

  /** Whether the last steps repeat themselves with this period. */
  private boolean repeats(int length, int steps) {
    int from = heard.size() - steps;
    if (from < 0) {
      return false;
    }
    for (int i = from + length; i < heard.size(); i++) {
      if (!heard.get(i).equals(heard.get(i - length))) {
        return false;
      }
    }
    return true;
  }
}
