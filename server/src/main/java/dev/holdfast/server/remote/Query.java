package dev.holdfast.server.remote;

import org.jspecify.annotations.Nullable;

/** What comes behind the path: {@code ?status=FAILED&limit=50}. */
final class Query {
  private final StringBuilder text = new StringBuilder();

  /** With another parameter, where it has a value. */
  Query and(String name, @Nullable Object value) {
    if (value != null) {
      text.append(text.isEmpty() ? '?' : '&')
          .append(name)
          .append('=')
          .append(Remote.encoded(value.toString()));
    }
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
