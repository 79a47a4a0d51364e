package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Excerpt;

/**
 * A write with a token that is older than the newest seen: its lease was lost, and another holder
 * has written since. Roll back; never retried.
 */
public final class StaleTokenException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String resource;
  private final long token;

  StaleTokenException(String resource, long token) {
    super(
        "stale-token",
        "the token for "
            + Excerpt.quoted(resource)
            + " must not be older than the newest seen, but "
            + token
            + " is: the lease was lost, and a later holder has written; roll back",
        null);
    this.resource = resource;
    this.token = token;
  }

  /** What was to be written to. */
  public String resource() {
    return resource;
  }

  /** The token that is too old. */
  public long token() {
    return token;
  }
}
