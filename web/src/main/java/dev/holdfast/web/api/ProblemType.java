package dev.holdfast.web.api;

import java.util.Locale;

/** The kinds of problems that the API tells. Their names are stable; new ones may come. */
public enum ProblemType {
  INVALID_ARGUMENT(400, "The request asks for something that is not allowed"),
  MALFORMED_BODY(400, "The body is not the JSON that is asked for"),
  UNAUTHORIZED(401, "A valid token is needed"),
  CSRF(403, "A change with a session needs its CSRF token"),
  NOT_FOUND(404, "There is nothing here"),
  METHOD_NOT_ALLOWED(405, "The method is not allowed here"),
  NOT_ACCEPTABLE(406, "No answer of an accepted type"),
  TIMEOUT(408, "The body has not come in time"),
  CONFLICT(409, "The current state does not allow this"),
  PRECONDITION_FAILED(412, "It has changed since it was read"),
  TOO_LARGE(413, "The request is too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "The content type of the body is not supported"),
  PRECONDITION_REQUIRED(428, "A change must say which version it changes"),
  TOO_MANY_REQUESTS(429, "There are too many requests at once"),
  INTERNAL(500, "Something is wrong with the service"),
  UNAVAILABLE(503, "The service is temporarily unavailable");

  private static final String PREFIX = "urn:holdfast:problem:";

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

  /** The {@code type} of the problem, such as {@code urn:holdfast:problem:not-found}. */
  public String uri() {
    return PREFIX + name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** One of this kind; {@code detail} is shown to whoever has asked. */
  public Problem with(String detail) {
    return Problem.of(this, detail);
  }
}
