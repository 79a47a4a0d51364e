package dev.holdfast.web.api;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.servlet.Problem;
import dev.holdfast.servlet.ProblemException;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.SqlError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageNotReadableException;
import org.springframework.web.ErrorResponse;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.HttpMediaTypeNotSupportedException;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;
import org.springframework.web.servlet.NoHandlerFoundException;
import org.springframework.web.servlet.resource.NoResourceFoundException;

/**
 * Maps exceptions to problems. Details that clients must not see are logged with an incident id,
 * which is in the problem.
 */
public final class ProblemMapper {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemMapper.class);

  private static final int BAD_REQUEST = 400;
  private static final LogRateLimit OUTAGES = new LogRateLimit(10, Duration.ofMinutes(1));

  private ProblemMapper() {}

  /** The problem of an exception. */
  public static Problem of(Throwable exception) {
    if (exception instanceof ProblemException known) {
      return known.problem();
    }
    if (exception instanceof InvalidArgumentException refused) {
      return ProblemType.INVALID_ARGUMENT.with(String.valueOf(refused.getMessage()));
    }
    if (exception instanceof UncheckedIOException || exception instanceof IOException) {
      // the client closed the connection or was too slow
      LOG.debug("could not read a request to its end", exception);
      return ProblemType.MALFORMED_BODY.with("the body is incomplete");
    }
    if (exception instanceof HttpMessageNotReadableException) {
      return ProblemType.MALFORMED_BODY.with("the body cannot be read");
    }
    if (exception instanceof MethodArgumentTypeMismatchException mismatch) {
      return ProblemType.INVALID_ARGUMENT.with("'" + mismatch.getName() + "' has the wrong type");
    }
    return exception instanceof ErrorResponse error ? ofSpring(exception, error) : ofOwn(exception);
  }

  private static Problem ofSpring(Throwable exception, ErrorResponse error) {
    if (exception instanceof NoResourceFoundException
        || exception instanceof NoHandlerFoundException) {
      return ProblemType.NOT_FOUND.with("the API has no resource with this path");
    }
    if (exception instanceof HttpRequestMethodNotSupportedException method) {
      String[] allowed = method.getSupportedMethods();
      Problem problem =
          ProblemType.METHOD_NOT_ALLOWED.with(
              method.getMethod() + " is not allowed for this resource");
      return allowed == null ? problem : problem.header("Allow", String.join(", ", allowed));
    }
    if (exception instanceof HttpMediaTypeNotSupportedException media) {
      return ProblemType.UNSUPPORTED_MEDIA_TYPE.with(
          "supported is " + MediaType.toString(media.getSupportedMediaTypes()));
    }
    if (exception instanceof HttpMediaTypeNotAcceptableException media) {
      return ProblemType.NOT_ACCEPTABLE.with(
          "available is " + MediaType.toString(media.getSupportedMediaTypes()));
    }
    return error.getStatusCode().is4xxClientError()
        ? ofStatus(error.getStatusCode().value())
        : internal(exception);
  }

  /** The problem of a status. */
  public static Problem ofStatus(int status) {
    for (ProblemType type : ProblemType.values()) {
      // there are several types for 400
      if (type.status() == status && status != BAD_REQUEST) {
        return type.with(type.title());
      }
    }
    HttpStatus known = HttpStatus.resolve(status);
    String title = known == null ? "HTTP " + status : known.getReasonPhrase();
    return Problem.of(status, "http-" + status, title, title);
  }

  private static Problem ofOwn(Throwable exception) {
    if (exception instanceof CommitUnknownException) {
      warn("the commit outcome of a request is unknown", exception);
      return ProblemType.UNAVAILABLE
          .with(
              "the connection to the database was lost, so the request may or may not have taken"
                  + " effect; retry with the same key, or check the resource")
          .header("Retry-After", "2");
    }
    boolean passing =
        exception instanceof HoldfastException own
            ? own.isRetryable()
            : SqlError.isRetryable(exception);
    if (passing) {
      warn("a request failed temporarily", exception);
      return ProblemType.UNAVAILABLE.with("retry later").header("Retry-After", "2");
    }
    return internal(exception);
  }

  /** Limited, because every request fails while the database is unavailable. */
  private static void warn(String what, Throwable exception) {
    OUTAGES.take(
        omitted ->
            LOG.warn(
                "http-unavailable: {}; responded 503{}: {}",
                what,
                omitted == 0 ? "" : " (" + omitted + " more since the last line)",
                exception.toString()));
  }

  private static Problem internal(Throwable exception) {
    String incident = UUID.randomUUID().toString();
    LOG.error(
        "http-internal-error: a request failed; responded 500 with incident {}",
        incident,
        exception);
    return ProblemType.INTERNAL
        .with("the log of the service has more about this incident")
        .with("incident", incident);
  }
}
