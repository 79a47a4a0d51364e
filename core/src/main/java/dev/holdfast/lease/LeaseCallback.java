package dev.holdfast.lease;

import org.jspecify.annotations.Nullable;

/** Work that runs while a lease is held, and returns a result. */
@FunctionalInterface
public interface LeaseCallback<T extends @Nullable Object, X extends Exception> {
  /** Runs the work; the lease is released afterwards. */
  T execute(Lease lease) throws X;

  /** Work that runs while a lease is held, without a result. */
  @FunctionalInterface
  interface WithoutResult<X extends Exception> {
    /** Runs the work; the lease is released afterwards. */
    void execute(Lease lease) throws X;
  }
}
