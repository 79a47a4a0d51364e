package dev.holdfast.client;

/**
 * The service refused a request, or could not be reached.
 *
 * <p>Where it could not be reached, whether the request had an effect is not known. For scheduling
 * that does no harm: schedule the same call with the same key again.
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
    this.code = "unreachable";
  }

  /** The status of the answer; 0 where there was none. */
  public int status() {
    return status;
  }

  /**
   * The stable name of this kind of error, such as {@code invalid-argument}, {@code conflict} or
   * {@code unauthorized}; {@code unreachable} where there was no answer.
   */
  public String code() {
    return code;
  }
}
