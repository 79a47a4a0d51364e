package dev.holdfast.internal;

/** Checks texts that become part of a stored record. */
public final class StoredText {
  private StoredText() {}

  /** Rejects a text of a wrong length, or with control characters or unpaired surrogates. */
  public static void require(String text, int minLength, int maxLength, String name) {
    Require.notNull(text, name);
    Require.that(
        text.length() >= minLength && text.length() <= maxLength,
        () ->
            name
                + " must have from "
                + minLength
                + " to "
                + maxLength
                + " characters, had "
                + text.length()
                + (text.isEmpty() ? "" : ": " + Excerpt.quoted(text)));
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isISOControl(c) || Character.isSurrogate(c)) {
        int at = i;
        Require.that(
            false,
            () ->
                name
                    + " must not contain control characters or unpaired surrogates, had U+"
                    + "%04X".formatted((int) c)
                    + " at "
                    + at);
      }
    }
  }
}
