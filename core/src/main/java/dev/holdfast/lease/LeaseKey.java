package dev.holdfast.lease;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.io.Serializable;
import java.util.Locale;

/**
 * The key of a lease: its kind and its name. Names are compared character by character: case,
 * accents and trailing spaces matter.
 *
 * @param name 1 to 300 characters of any script, without U+0000 and unpaired surrogates
 */
public record LeaseKey(Kind kind, String name) implements Comparable<LeaseKey>, Serializable {
  /** The maximum length of a name, in UTF-16 characters. */
  public static final int MAX_NAME_LENGTH = 300;

  /** The kinds of leases; equal names of different kinds are different leases. */
  public enum Kind {
    /** One holder at a time. */
    EXCLUSIVE,
    /** Any number of readers, or one writer. */
    READ_WRITE,
    /** A number of permits, shared among the holders. */
    SEMAPHORE
  }

  /**
   * @throws dev.holdfast.InvalidArgumentException if the name is empty, too long or cannot be
   *     stored
   */
  public LeaseKey {
    Require.notNull(kind, "the kind of a lease");
    Require.notNull(name, "the name of a lease");
    int length = name.length();
    if (length == 0 || length > MAX_NAME_LENGTH) {
      Require.that(
          false,
          () ->
              "the name of a lease must have 1 to "
                  + MAX_NAME_LENGTH
                  + " characters, had "
                  + length
                  + ": "
                  + Excerpt.quoted(name));
    }
    rejectUnstorable(name);
  }

  /** The key of an exclusive lease. */
  public static LeaseKey exclusive(String name) {
    return new LeaseKey(Kind.EXCLUSIVE, name);
  }

  /** The key of a read/write lease. */
  public static LeaseKey readWrite(String name) {
    return new LeaseKey(Kind.READ_WRITE, name);
  }

  /** The key of a semaphore. */
  public static LeaseKey semaphore(String name) {
    return new LeaseKey(Kind.SEMAPHORE, name);
  }

  private static void rejectUnstorable(String name) {
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
                "the name of a lease must have no U+0000 and no unpaired surrogates, had one at "
                    + at
                    + ": "
                    + Excerpt.quoted(name));
      }
    }
  }

  /** The canonical order, in which a group of leases is acquired. */
  @Override
  public int compareTo(LeaseKey other) {
    int kinds = kind.compareTo(other.kind);
    return kinds != 0 ? kinds : name.compareTo(other.name);
  }

  @Override
  public String toString() {
    String quoted = Excerpt.quoted(name);
    return kind == Kind.EXCLUSIVE
        ? quoted
        : kind.name().toLowerCase(Locale.ROOT).replace('_', '/') + " " + quoted;
  }
}
