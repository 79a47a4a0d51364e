package dev.holdfast.guard;

import dev.holdfast.ConflictException;
import org.jspecify.annotations.Nullable;

/**
 * The row has changed since it was read, or was deleted. Retryable, after reading it again, if it
 * was changed; not if it was deleted.
 */
public final class OptimisticLockException extends ConflictException {
  private static final long serialVersionUID = 1L;

  private final String table;
  private final String key;
  private final long expectedVersion;
  private final @Nullable Long actualVersion;
  private final boolean retryable;

  OptimisticLockException(
      RowReference target,
      long expectedVersion,
      @Nullable Long actualVersion,
      boolean retryable,
      String message) {
    super("optimistic-lock", target.toString(), message, null);
    this.table = target.table();
    this.key = target.key().toString();
    this.expectedVersion = expectedVersion;
    this.actualVersion = actualVersion;
    this.retryable = retryable;
  }

  public String table() {
    return table;
  }

  /** The columns that name the row, such as {@code {id=7}}. */
  public String key() {
    return key;
  }

  /** The version that the change was made for, 0 where columns were compared instead. */
  public long expectedVersion() {
    return expectedVersion;
  }

  /**
   * The version that the row has now, or null where there is no such row any more, or its version
   * is null.
   */
  public @Nullable Long actualVersion() {
    return actualVersion;
  }

  @Override
  public boolean isRetryable() {
    return retryable;
  }
}
