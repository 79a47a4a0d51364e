package dev.holdfast.internal;

/** The beginning of a text that may be endless, for a message. */
public final class Excerpt {
  private static final int MAX_NAME_LENGTH = 60;

  private Excerpt() {}

  /** Of a name or another single word, in its quotes. */
  public static String quoted(String name) {
    return "'" + of(name, MAX_NAME_LENGTH) + "'";
  }

  /** At most so many characters, and a sign where there were more. */
  public static String of(String text, int longest) {
    if (text.length() <= longest) {
      return text;
    }
    // half of a character cannot be printed
    int end = Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest;
    return text.substring(0, end) + "…";
  }
}
