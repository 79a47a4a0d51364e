package dev.holdfast.race.internal.report;

import java.util.Locale;

/** One piece of an SQL text, without what is between the pieces. */
record Token(Kind kind, String text, boolean blankBefore) {

  /** What it is. */
  enum Kind {
    WORD,
    /** A literal. */
    VALUE,
    /** What was bound in place of a {@code ?}. */
    BOUND,
    /** A {@code ?} for which nothing was bound. */
    PARAM,
    SIGN
  }

  boolean is(String word) {
    return !isValue() && text.equalsIgnoreCase(word);
  }

  boolean isValue() {
    return kind == Kind.VALUE || kind == Kind.BOUND;
  }

  boolean isOneOf(String... words) {
    for (String word : words) {
      if (is(word)) {
        return true;
      }
    }
    return false;
  }

  /** As a name: without quotes, and in lower case if it has none. */
  String name() {
    boolean quoted = text.length() > 1 && (text.charAt(0) == '"' || text.charAt(0) == '`');
    return quoted ? text.substring(1, text.length() - 1) : text.toLowerCase(Locale.ROOT);
  }
}
