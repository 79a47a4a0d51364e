package dev.holdfast.transaction;

import org.jspecify.annotations.Nullable;

/** What is done inside a transaction, with an answer. */
@FunctionalInterface
public interface TransactionCallback<T extends @Nullable Object, X extends Exception> {
  T in(Transaction tx) throws X;

  /** What is done inside a transaction, without an answer. */
  @FunctionalInterface
  interface WithoutResult<X extends Exception> {
    void in(Transaction tx) throws X;
  }
}
