package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Excerpt;
import java.util.OptionalLong;

/**
 * A write with a token that is older than the newest seen: its lease was lost, and another holder
 * has written since. Roll back; never retried.
 */
public final class StaleTokenException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String resource;
  private final long token;
  private final long newest;

  /**
   * @param newest zero where it is not known
   */
  StaleTokenException(String resource, long token, long newest) {
    super(
        "stale-token",
        "the token for "
            + Excerpt.quoted(resource)
            + " must not be older than the newest seen"
            + (newest == 0 ? "" : ", " + newest)
            + ", but "
            + token
            + " is: the lease was lost, and a later holder has written; roll back",
        null);
    this.resource = resource;
    this.token = token;
    this.newest = newest;
  }

  /** What was to be written to. */
  public String resource() {
    return resource;
  }

  /** The token that is too old. */
  public long token() {
    return token;
  }

  /** The newest token seen; nothing where the database does not tell it by the way. */
  public OptionalLong newest() {
    return newest == 0 ? OptionalLong.empty() : OptionalLong.of(newest);
  }
}
