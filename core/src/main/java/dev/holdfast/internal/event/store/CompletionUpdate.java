package dev.holdfast.internal.event.store;

import dev.holdfast.event.EventStatus;
import org.jspecify.annotations.Nullable;

/** An event that ends: conditional on its version. */
public record CompletionUpdate(long id, int version, EventStatus status, @Nullable String error) {
  public CompletionUpdate {
    error = StoredErrorText.of(error);
  }
}
