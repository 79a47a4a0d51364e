package dev.holdfast.event.internal;

import dev.holdfast.event.EventStatus;
import org.jspecify.annotations.Nullable;

/** An event that ends: conditional on its version. */
public record Ending(long id, int version, EventStatus status, @Nullable String error) {
  public Ending {
    error = ErrorText.of(error);
  }
}
