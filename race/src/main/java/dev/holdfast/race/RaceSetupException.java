package dev.holdfast.race;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * A race cannot be explored as it is set up. This is not a finding. The message says what to do.
 */
public final class RaceSetupException extends HoldfastException {
  private static final long serialVersionUID = 1;

  RaceSetupException(String message, @Nullable Throwable cause) {
    super("race-setup", message, cause);
  }
}
