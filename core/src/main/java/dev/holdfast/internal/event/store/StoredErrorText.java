package dev.holdfast.internal.event.store;

import org.jspecify.annotations.Nullable;

/**
 * Makes an error storable, whatever it says: were it refused by the database, the end of its event,
 * and of those that are stored along with it, would be refused again and again.
 */
final class StoredErrorText {
  private static final int MAX = 10_000;

  private StoredErrorText() {}

  static @Nullable String of(@Nullable String error) {
    if (error == null) {
      return null;
    }
    String start =
        error.length() <= MAX
            ? error
            : error.substring(0, error.offsetByCodePoints(0, MAX / 2)) + " …";
    return start.replace('\0', '\uFFFD');
  }
}
