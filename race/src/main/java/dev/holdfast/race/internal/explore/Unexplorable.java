package dev.holdfast.race.internal.explore;

import org.jspecify.annotations.Nullable;

/** The race cannot be explored as it is given; the message says what to do. */
public class Unexplorable extends RuntimeException {
  private static final long serialVersionUID = 1;

  public Unexplorable(String message) {
    super(message);
  }

  public Unexplorable(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
