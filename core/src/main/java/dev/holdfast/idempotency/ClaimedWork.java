package dev.holdfast.idempotency;

import org.jspecify.annotations.Nullable;

/** What is done under a claim, with an answer. */
@FunctionalInterface
public interface ClaimedWork<T extends @Nullable Object, X extends Exception> {
  T run(Claim claim) throws X;
}
