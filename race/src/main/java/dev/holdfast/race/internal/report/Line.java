package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import java.util.List;

/**
 * One line of a timeline as it is shown.
 *
 * @param kind what it is
 * @param number of its entry, or of two; empty for a mark
 * @param entry what it is about
 * @param text the statement with its values, or what else there is to say
 * @param result what came of it; empty for nothing yet
 * @param waiting the actors that it waits for; empty if it does not wait
 * @param trouble what went wrong: an error, a crash; empty for nothing
 * @param note why it matters; empty if it does not
 * @param bars for each actor, whether it is in a transaction
 */
record Line(
    Kind kind,
    String number,
    Entry entry,
    String text,
    String result,
    String waiting,
    String trouble,
    String note,
    List<Bar> bars) {

  /** What it is. */
  enum Kind {
    STATEMENT,
    /** A statement, and its commit in autocommit mode right after it. */
    AUTOCOMMIT,
    COMMIT,
    ROLLBACK,
    POINT,
    EFFECT,
    /** A statement that had to wait resumes. */
    RESUMED,
    /** The actor is run again. */
    SECOND_LIFE,
    /** Lines are left out. */
    GAP
  }

  /** Where an actor is in its transaction. */
  enum Bar {
    NONE,
    BEGINS,
    OPEN,
    ENDS,
    /** It begins and ends there. */
    WHOLE
  }

  int actor() {
    return entry.actor();
  }

  boolean isDecisive() {
    return !note.isEmpty();
  }

  /** Whether the text is SQL. */
  boolean isSql() {
    return kind == Kind.STATEMENT || kind == Kind.AUTOCOMMIT;
  }
}
