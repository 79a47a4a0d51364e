package dev.holdfast.lease;

import org.jspecify.annotations.Nullable;

/** What is done while a lease is held, with an answer. */
@FunctionalInterface
public interface LeasedWork<T extends @Nullable Object, X extends Exception> {
  T under(Lease lease) throws X;
}
