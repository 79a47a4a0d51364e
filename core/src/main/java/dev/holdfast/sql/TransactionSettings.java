package dev.holdfast.sql;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a transaction asks of its session; null means as the connection has it. */
record TransactionSettings(
    @Nullable Isolation isolation,
    boolean readOnly,
    @Nullable Duration statementTimeout,
    @Nullable Duration lockTimeout) {
  static final TransactionSettings AS_IT_IS = new TransactionSettings(null, false, null, null);

  boolean hasTimeouts() {
    return statementTimeout != null || lockTimeout != null;
  }
}
