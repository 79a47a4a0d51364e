package dev.holdfast.guard;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/**
 * A row that is not as it was read. Retryable, by reading it again, where somebody else has changed
 * it; not where there is no such row any more.
 */
public final class OptimisticLockException extends HoldfastException {
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
    super("optimistic-lock", message, null);
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
  public boolean retryable() {
    return retryable;
  }
}
