package dev.holdfast.lease;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Excerpt;
import java.util.OptionalLong;

/**
 * A write was rejected because its token is older than the newest one: its lease was lost, and a
 * later holder has written since. Roll back the transaction; never retried.
 */
public final class StaleTokenException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String resource;
  private final long token;
  private final long newestToken;

  /**
   * @param newestToken empty if it is not known
   */
  public StaleTokenException(String resource, long token, OptionalLong newestToken) {
    super(
        "fence-stale-token",
        "Cannot write to "
            + Excerpt.quoted(resource)
            + " with the token "
            + token
            + ": "
            + (newestToken.isEmpty()
                ? "a newer token"
                : "the newer token " + newestToken.getAsLong())
            + " was used. The lease was lost, and a later holder has written. Roll back.",
        null);
    this.resource = resource;
    this.token = token;
    this.newestToken = newestToken.orElse(0);
  }

  /** The resource of the fence. */
  public String resource() {
    return resource;
  }

  /** The stale token. */
  public long token() {
    return token;
  }

  /** The newest token; empty if the database does not return it with the check. */
  public OptionalLong newestToken() {
    return newestToken == 0 ? OptionalLong.empty() : OptionalLong.of(newestToken);
  }
}
