package dev.holdfast;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * You no longer own this lease, event, request or job: its lease expired, or was released by force.
 * Another owner may work on it now. Stop, and write nothing more.
 */
public final class LeaseLostException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final String subject;
  private final @Nullable Long token;

  /**
   * @param code {@code lease-lost}, {@code job-lease-lost}, {@code event-lease-lost} or {@code
   *     idempotency-lease-lost}
   * @param subject names what was lost, such as {@code lease 'payment:42'}
   * @param token the fencing token of the lost lease, if it has one
   */
  public LeaseLostException(
      String code, String subject, OptionalLong token, String message, @Nullable Throwable cause) {
    super(code, message, cause);
    this.subject = subject;
    this.token = token.isPresent() ? token.getAsLong() : null;
  }

  /** What was lost, such as {@code lease 'payment:42'} or {@code event 0-4711}. */
  public String subject() {
    return subject;
  }

  /** The fencing token of the lost lease; empty for events and requests, which have none. */
  public OptionalLong token() {
    return token == null ? OptionalLong.empty() : OptionalLong.of(token);
  }
}
