package dev.holdfast.idempotency;

import org.jspecify.annotations.Nullable;

/** One step of the work under a claim, with what comes out of it. */
@FunctionalInterface
public interface StepAction<T extends @Nullable Object, X extends Exception> {
  T run() throws X;
}
