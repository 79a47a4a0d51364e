package dev.holdfast.web.api;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
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
 * Which problem an exception is. What somebody outside must not see goes to the log, under a number
 * that the problem names.
 */
public final class Problems {
  private static final Logger LOG = LoggerFactory.getLogger(Problems.class);

  private static final int BAD_REQUEST = 400;
  private static final LineQuota OUTAGES = new LineQuota(10, Duration.ofMinutes(1));

  private Problems() {}

  /** The problem of an exception that ended a request. */
  public static Problem of(Throwable exception) {
    if (exception instanceof ProblemException known) {
      return known.problem();
    }
    if (exception instanceof InvalidArgumentException refused) {
      return ProblemType.INVALID_ARGUMENT.with(String.valueOf(refused.getMessage()));
    }
    if (exception instanceof UncheckedIOException || exception instanceof IOException) {
      // whoever has sent it went away, or was too slow; most will not read this
      LOG.debug("could not read a request to its end", exception);
      return ProblemType.MALFORMED_BODY.with("the body did not come to its end");
    }
    if (exception instanceof HttpMessageNotReadableException) {
      return ProblemType.MALFORMED_BODY.with("the body cannot be read");
    }
    if (exception instanceof MethodArgumentTypeMismatchException mismatch) {
      return ProblemType.INVALID_ARGUMENT.with(
          "'" + mismatch.getName() + "' is not of the type that is asked for");
    }
    return exception instanceof ErrorResponse error ? ofSpring(exception, error) : ofOwn(exception);
  }

  private static Problem ofSpring(Throwable exception, ErrorResponse error) {
    if (exception instanceof NoResourceFoundException
        || exception instanceof NoHandlerFoundException) {
      return ProblemType.NOT_FOUND.with("no resource of the API has this path");
    }
    if (exception instanceof HttpRequestMethodNotSupportedException method) {
      String[] allowed = method.getSupportedMethods();
      Problem problem =
          ProblemType.METHOD_NOT_ALLOWED.with(
              method.getMethod() + " is not among what is allowed here");
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

  /** The problem of a status without further knowledge. */
  public static Problem ofStatus(int status) {
    for (ProblemType type : ProblemType.values()) {
      // 400 has several types, and which one it is, is not known
      if (type.status() == status && status != BAD_REQUEST) {
        return type.with(type.title());
      }
    }
    HttpStatus known = HttpStatus.resolve(status);
    return Problem.ofStatus(status, known == null ? "HTTP " + status : known.getReasonPhrase());
  }

  private static Problem ofOwn(Throwable exception) {
    if (exception instanceof CommitUnknownException) {
      warn("the commit outcome of a request is unknown", exception);
      return ProblemType.UNAVAILABLE
          .with(
              "whether this was stored is not known, because the connection to the database was"
                  + " lost; repeat it with the same key, or look whether it is there")
          .header("Retry-After", "2");
    }
    boolean passing =
        exception instanceof HoldfastException own
            ? own.isRetryable()
            : SqlError.isRetryable(exception);
    if (passing) {
      warn("a request failed temporarily", exception);
      return ProblemType.UNAVAILABLE.with("try again in a moment").header("Retry-After", "2");
    }
    return internal(exception);
  }

  /** A few lines a minute: while the database is away, every request ends so. */
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
