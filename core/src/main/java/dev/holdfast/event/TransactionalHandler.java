package dev.holdfast.event;

import dev.holdfast.sql.Transaction;

/**
 * The user's code for events of one type whose effect is in the same database. What it writes in
 * {@code tx} and the end of the event commit together, so the effect is exactly once. An exception
 * rolls back, and means a retry by the {@link RetryPolicy}.
 */
@FunctionalInterface
public interface TransactionalHandler<P> {
  void handle(P payload, Transaction tx, EventContext context) throws Exception;
}
