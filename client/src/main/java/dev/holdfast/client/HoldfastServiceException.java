package dev.holdfast.client;

/**
 * The service rejected a request, or is unreachable.
 *
 * <p>If the service is unreachable, the request may or may not have taken effect. It is safe to
 * schedule the same request with the same key again.
 */
public final class HoldfastServiceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;

  HoldfastServiceException(int status, String code, String message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  HoldfastServiceException(String message, Throwable cause) {
    super(message, cause);
    this.status = 0;
    this.code = "service-unreachable";
  }

  /** The HTTP status of the response; 0 if there was none. */
  public int status() {
    return status;
  }

  /**
   * The stable code of this error, such as {@code invalid-argument}, {@code conflict} or {@code
   * unauthorized}; {@code service-unreachable} if there was no response.
   */
  public String code() {
    return code;
  }
}
