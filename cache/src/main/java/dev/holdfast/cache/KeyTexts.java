package dev.holdfast.cache;

import dev.holdfast.internal.Require;
import java.math.BigInteger;
import java.util.UUID;

/** Converts keys of common types to text. */
final class KeyTexts {
  private KeyTexts() {}

  static String of(Object key) {
    if (key instanceof Enum<?> constant) {
      return constant.name();
    }
    boolean plain =
        key instanceof String
            || key instanceof Long
            || key instanceof Integer
            || key instanceof Short
            || key instanceof Byte
            || key instanceof BigInteger
            || key instanceof Boolean
            || key instanceof Character
            || key instanceof UUID;
    Require.that(
        plain,
        () ->
            "the key of a cache must be a text, a whole number, an enum or a UUID, was a "
                + key.getClass().getName()
                + "; say with keys(…) how its text is made");
    return key.toString();
  }
}
