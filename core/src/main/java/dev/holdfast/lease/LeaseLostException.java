package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A lease is no longer held, or is held for less time than requested. */
public final class LeaseLostException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final LeaseKey key;
  private final long token;

  LeaseLostException(LeaseKey key, long token, String why, @Nullable Throwable cause) {
    this(
        "lease-lost",
        key,
        token,
        "The lease " + key + " with the token " + token + " is not held: " + why + ".",
        cause);
  }

  /**
   * @param code {@code lease-lost}, or the code of the service that used the lease
   */
  public LeaseLostException(
      String code, LeaseKey key, long token, String message, @Nullable Throwable cause) {
    super(code, message, cause);
    this.key = key;
    this.token = token;
  }

  /** The key of the lease. */
  public LeaseKey key() {
    return key;
  }

  /** The token of the lost lease. */
  public long token() {
    return token;
  }
}
