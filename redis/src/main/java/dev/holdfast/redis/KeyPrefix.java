package dev.holdfast.redis;

import dev.holdfast.internal.Require;

/** With what all keys in Redis begin: nothing that means something in a pattern, or to a slot. */
final class KeyPrefix {
  private static final int MAX = 100;

  private KeyPrefix() {}

  static void require(String prefix) {
    Require.notBlank(prefix, "the prefix of the keys");
    Require.that(
        prefix.length() <= MAX
            && prefix.chars().allMatch(c -> c > ' ' && c < 127 && "{}*?[]\\".indexOf(c) < 0),
        "the prefix of the keys must have 1 to "
            + MAX
            + " printable ASCII characters, without {}*?[]\\ and blanks, was '"
            + prefix
            + "'");
  }
}
