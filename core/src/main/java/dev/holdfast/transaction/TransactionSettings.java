package dev.holdfast.transaction;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a transaction asks of its session; null means as the connection has it. The idle and network
 * timeouts apply to own transactions only.
 */
public record TransactionSettings(
    @Nullable Isolation isolation,
    boolean readOnly,
    @Nullable Duration statementTimeout,
    @Nullable Duration lockTimeout,
    @Nullable Duration idleTimeout,
    @Nullable Duration networkTimeout) {
  static final TransactionSettings AS_IT_IS =
      new TransactionSettings(null, false, null, null, null, null);

  /** Waiting no longer than this for each lock, and nothing else. */
  public static TransactionSettings waiting(@Nullable Duration lockTimeout) {
    return AS_IT_IS.withLockTimeout(lockTimeout);
  }

  TransactionSettings withIsolation(@Nullable Isolation changed) {
    return new TransactionSettings(
        changed, readOnly, statementTimeout, lockTimeout, idleTimeout, networkTimeout);
  }

  TransactionSettings withReadOnly(boolean changed) {
    return new TransactionSettings(
        isolation, changed, statementTimeout, lockTimeout, idleTimeout, networkTimeout);
  }

  TransactionSettings withStatementTimeout(@Nullable Duration changed) {
    return new TransactionSettings(
        isolation, readOnly, changed, lockTimeout, idleTimeout, networkTimeout);
  }

  TransactionSettings withLockTimeout(@Nullable Duration changed) {
    return new TransactionSettings(
        isolation, readOnly, statementTimeout, changed, idleTimeout, networkTimeout);
  }

  TransactionSettings withIdleTimeout(@Nullable Duration changed) {
    return new TransactionSettings(
        isolation, readOnly, statementTimeout, lockTimeout, changed, networkTimeout);
  }

  TransactionSettings withNetworkTimeout(@Nullable Duration changed) {
    return new TransactionSettings(
        isolation, readOnly, statementTimeout, lockTimeout, idleTimeout, changed);
  }

  boolean hasTimeouts() {
    return statementTimeout != null || lockTimeout != null;
  }
}
