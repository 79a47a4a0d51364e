package dev.holdfast.lease;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.io.Serializable;
import java.util.Locale;

/**
 * What leases are about: a name among those of its kind. Names are compared character for
 * character: case, accents and trailing spaces matter.
 *
 * @param name 1 to 300 characters of any script, without U+0000 and single surrogates
 */
public record LeaseKey(LeaseKind kind, String name) implements Comparable<LeaseKey>, Serializable {
  /** The longest name, in UTF-16 characters. */
  public static final int LONGEST_NAME = 300;

  /**
   * @throws dev.holdfast.InvalidArgumentException where the name is refused
   */
  public LeaseKey {
    Require.notNull(kind, "the kind of a lease");
    Require.notNull(name, "the name of a lease");
    int length = name.length();
    if (length == 0 || length > LONGEST_NAME) {
      Require.that(
          false,
          () ->
              "the name of a lease must have 1 to "
                  + LONGEST_NAME
                  + " characters, had "
                  + length
                  + ": "
                  + Excerpt.quoted(name));
    }
    refuseUnstorable(name);
  }

  public static LeaseKey exclusive(String name) {
    return new LeaseKey(LeaseKind.EXCLUSIVE, name);
  }

  public static LeaseKey readWrite(String name) {
    return new LeaseKey(LeaseKind.READ_WRITE, name);
  }

  public static LeaseKey semaphore(String name) {
    return new LeaseKey(LeaseKind.SEMAPHORE, name);
  }

  private static void refuseUnstorable(String name) {
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < name.length()
              && Character.isLowSurrogate(name.charAt(i + 1));
      if (pair) {
        i++;
      } else if (c == 0 || Character.isSurrogate(c)) {
        int at = i;
        Require.that(
            false,
            () ->
                "the name of a lease must have no U+0000 and no single surrogates, had one at "
                    + at
                    + ": "
                    + Excerpt.quoted(name));
      }
    }
  }

  /** The canonical order, in which several leases are acquired. */
  @Override
  public int compareTo(LeaseKey other) {
    int kinds = kind.compareTo(other.kind);
    return kinds != 0 ? kinds : name.compareTo(other.name);
  }

  @Override
  public String toString() {
    String quoted = Excerpt.quoted(name);
    return kind == LeaseKind.EXCLUSIVE
        ? quoted
        : kind.name().toLowerCase(Locale.ROOT).replace('_', '/') + " " + quoted;
  }
}
