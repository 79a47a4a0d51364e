package dev.holdfast.workflow;

import dev.holdfast.LeaseLostException;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.transaction.TransactionCallback;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The recorded steps of a workflow, and the lease of its request.
 *
 * <p><b>Guarantees:</b> a recorded step is not run again. The next attempt, after a failure or a
 * crash, gets its recorded result. An attempt that has lost the lease can record nothing.
 *
 * <p><b>Does not guarantee:</b> a step that failed, or whose process died before the step was
 * recorded, is run again. Its effect must tolerate that, for example by {@link #idempotencyKey}.
 *
 * <p>Steps are for one thread at a time. Not for implementation by users.
 */
public interface StepContext {
  /** Work in steps, with a result. */
  @FunctionalInterface
  interface Callback<T extends @Nullable Object, X extends Exception> {
    T run(StepContext steps) throws X;
  }

  /** The work of one step. Its result is recorded. */
  @FunctionalInterface
  interface Step<T extends @Nullable Object, X extends Exception> {
    T run() throws X;
  }

  /** The key of the request. */
  IdempotencyKey key();

  /** How often this request was started, including this time. */
  int attempt();

  /** The names of the recorded steps, in their order. */
  List<String> completedSteps();

  /**
   * An idempotency key for a call to another system: the same for every attempt of this request and
   * step.
   */
  String idempotencyKey(String step);

  /**
   * Runs {@code action} and records its result, unless the step was recorded before.
   *
   * @param name identifies the step; from 1 to 200 characters, different for each step of an
   *     attempt
   * @param type of the result; {@code Void} if there is none
   * @throws LeaseLostException if the lease was lost before the step was recorded
   * @throws dev.holdfast.idempotency.ResultTooLargeException if the result is too large; the step
   *     is not recorded
   */
  <T, X extends Exception> T step(String name, Class<T> type, Step<T, X> action) throws X;

  /** As {@link #step(String, Class, Step)}, with a codec for the result. */
  <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, Step<T, X> action) throws X;

  /**
   * As {@link #step(String, Class, Step)}, in a new transaction: the changes of the step and its
   * record are committed together, so the step takes effect exactly once.
   *
   * <p>The step uses a connection, and renewals need another one: if such steps use the whole pool
   * for longer than the lease, the leases are lost. In a transaction that reads a snapshot of its
   * start (REPEATABLE READ or stricter on PostgreSQL and H2, and on MariaDB with {@code
   * innodb_snapshot_isolation}) the lease is not renewed during the step, which must complete
   * within two thirds of the lease duration.
   */
  <T, X extends Exception> T transactionalStep(
      String name, Class<T> type, TransactionCallback<T, X> work) throws X;

  /** As {@link #transactionalStep(String, Class, TransactionCallback)}, with a codec. */
  <T extends @Nullable Object, X extends Exception> T transactionalStep(
      String name, Codec<T> codec, TransactionCallback<T, X> work) throws X;

  /** Whether this attempt certainly owns the lease. Local check, no I/O. */
  boolean isLeaseValid();

  /**
   * Checks that this attempt certainly owns the lease. Local check, no I/O.
   *
   * @throws LeaseLostException if it does not
   */
  void ensureLeaseValid();
}
