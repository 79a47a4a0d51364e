package dev.holdfast.race.internal.report;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** Turns of phrase, and texts made fit to be shown. */
final class Words {
  /** What moves the cursor, rings a bell or turns the direction of writing. */
  private static final Pattern UNFIT =
      Pattern.compile("[\\p{Cntrl}\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]");

  private static final Pattern LINES = Pattern.compile("\\s*[\\r\\n\\t]+\\s*");

  private Words() {}

  /** On one line, without what a terminal or a reader could be deceived by. */
  static String plain(String text) {
    return UNFIT.matcher(LINES.matcher(text).replaceAll(" ")).replaceAll("�");
  }

  /** Shortened to a maximum length, with its beginning and its end. */
  static String shortened(String text, int maxLength) {
    String plain = plain(text);
    if (plain.length() <= maxLength) {
      return plain;
    }
    int tail = maxLength / 4;
    int head = maxLength - tail - 3;
    return cut(plain, 0, head) + " … " + cut(plain, plain.length() - tail, plain.length());
  }

  /** No half of a pair of surrogates. */
  private static String cut(String text, int from, int to) {
    int begin = from > 0 && Character.isLowSurrogate(text.charAt(from)) ? from + 1 : from;
    int end = to < text.length() && Character.isLowSurrogate(text.charAt(to)) ? to - 1 : to;
    return text.substring(begin, end);
  }

  /** {@code Ana, Ben and Cleo}. */
  static String and(List<String> names) {
    if (names.size() < 2) {
      return String.join("", names);
    }
    int last = names.size() - 1;
    return String.join(", ", names.subList(0, last)) + " and " + names.get(last);
  }

  static String capital(String sentence) {
    return sentence.substring(0, 1).toUpperCase(Locale.ROOT) + sentence.substring(1);
  }

  static String count(long number, String one) {
    return number == 1 ? "1 " + one : number + " " + one + "s";
  }

  static String millis(long millis) {
    return millis < 1000 ? millis + " ms" : String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
  }
}
