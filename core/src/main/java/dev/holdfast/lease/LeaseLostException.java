package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import org.jspecify.annotations.Nullable;

/** A lease that is not held any more, or not for as long as was asked. */
public final class LeaseLostException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final LeaseKey key;
  private final long token;

  LeaseLostException(LeaseKey key, long token, String why, @Nullable Throwable cause) {
    super(
        "lease-lost",
        "the lease " + key + " with the token " + token + " must be held, but " + why,
        cause);
    this.key = key;
    this.token = token;
  }

  /** Of what. */
  public LeaseKey key() {
    return key;
  }

  /** The token that it had. */
  public long token() {
    return token;
  }
}
