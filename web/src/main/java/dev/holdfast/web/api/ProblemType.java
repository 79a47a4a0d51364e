package dev.holdfast.web.api;

import dev.holdfast.servlet.Problem;
import java.util.Locale;

/** The problem types of the API. Their codes are stable; more may be added. */
public enum ProblemType {
  INVALID_ARGUMENT(400, "Invalid request"),
  MALFORMED_BODY(400, "Malformed request body"),
  UNAUTHORIZED(401, "Valid token required"),
  CSRF(403, "CSRF token required"),
  NOT_FOUND(404, "Not found"),
  METHOD_NOT_ALLOWED(405, "Method not allowed"),
  NOT_ACCEPTABLE(406, "Not acceptable"),
  TIMEOUT(408, "Request timeout"),
  CONFLICT(409, "Conflict"),
  PRECONDITION_FAILED(412, "Precondition failed"),
  TOO_LARGE(413, "Request too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "Unsupported content type"),
  PRECONDITION_REQUIRED(428, "Precondition required"),
  TOO_MANY_REQUESTS(429, "Too many requests"),
  INTERNAL(500, "Internal error"),
  UNAVAILABLE(503, "Service temporarily unavailable");

  private final int status;
  private final String title;

  ProblemType(int status, String title) {
    this.status = status;
    this.title = title;
  }

  /** The status of the response. */
  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  /** The last part of the {@code type} of the problem, such as {@code not-found}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A problem of this type; {@code detail} is shown to the client. */
  public Problem with(String detail) {
    return Problem.of(status, code(), title, detail);
  }
}
