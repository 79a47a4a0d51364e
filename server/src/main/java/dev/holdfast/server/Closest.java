package dev.holdfast.server;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** What somebody may have meant who mistyped a word. */
final class Closest {
  private static final int MAX_MISTAKES = 3;

  private Closest() {}

  /** The word with the fewest mistakes, where they are few. */
  static Optional<String> to(String typed, Collection<String> words) {
    return words.stream()
        .filter(word -> mistakes(typed, word) <= Math.min(MAX_MISTAKES, typed.length() / 2))
        .min(Comparator.comparingInt(word -> mistakes(typed, word)));
  }

  /** How many letters are to be added, taken away or replaced to get from one to the other. */
  private static int mistakes(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
