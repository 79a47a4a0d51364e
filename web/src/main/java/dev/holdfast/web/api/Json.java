package dev.holdfast.web.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * The JSON of the API: the same whatever the application around it has set for its own. Times and
 * durations are written as ISO 8601 says; members that are not known and such that come twice are
 * refused; members that are null are left out. Thread-safe.
 */
public final class Json {
  /** A part of a few bytes is an object of a hundred: 10 MB of them would be the whole memory. */
  private static final int MAX_PARTS = 1_000_000;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxTokenCount(MAX_PARTS).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          // numbers are passed on as they came
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .changeDefaultPropertyInclusion(
              standard -> standard.withValueInclusion(JsonInclude.Include.NON_NULL))
          .build();

  private Json() {}

  /** A response with this body. */
  public static ResponseEntity<byte[]> ok(Object body) {
    return of(HttpStatus.OK, body);
  }

  /** A response with this status and body. */
  public static ResponseEntity<byte[]> of(HttpStatus status, Object body) {
    return ResponseEntity.status(status).contentType(MediaType.APPLICATION_JSON).body(bytes(body));
  }

  public static byte[] bytes(Object value) {
    return MAPPER.writeValueAsBytes(value);
  }

  /**
   * The body of a request.
   *
   * @throws dev.holdfast.servlet.ProblemException where it is not JSON of this type
   */
  public static <T> T read(HttpServletRequest request, Class<T> type) {
    try {
      return read(request.getInputStream().readAllBytes(), type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The body of a request of which no more than so many bytes are read, for those who have not
   * shown a token.
   */
  public static <T> T read(HttpServletRequest request, Class<T> type, int most) {
    try {
      byte[] body = request.getInputStream().readNBytes(most + 1);
      if (body.length > most) {
        throw ProblemType.TOO_LARGE
            .with("the body must have at most " + most + " bytes")
            .header("Connection", "close")
            .toException();
      }
      return read(body, type);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * What these bytes say.
   *
   * @throws dev.holdfast.servlet.ProblemException where they are not JSON of this type
   */
  public static <T> T read(byte[] json, Class<T> type) {
    try {
      @Nullable T value = MAPPER.readValue(json, type);
      if (value == null) {
        throw ProblemType.MALFORMED_BODY.with("it must not be null").toException();
      }
      return value;
    } catch (DatabindException e) {
      // the whole message of Jackson would name our classes
      String member = member(e);
      throw ProblemType.MALFORMED_BODY
          .with(
              member.isEmpty()
                  ? "it is JSON of another type than is asked for"
                  : "the member '" + member + "' is not known, missing, or of another type")
          .toException();
    } catch (StreamConstraintsException e) {
      throw ProblemType.MALFORMED_BODY
          .with(
              "it has too many, too deep or too long parts, or is not JSON"
                  + where(e.getLocation()))
          .toException();
    } catch (JacksonException e) {
      throw ProblemType.MALFORMED_BODY
          .with("it is not JSON" + where(e.getLocation()))
          .toException();
    }
  }

  private static String member(DatabindException e) {
    StringBuilder path = new StringBuilder();
    for (JacksonException.Reference step : e.getPath()) {
      String name = step.getPropertyName();
      path.append(name == null ? "[" + step.getIndex() + "]" : (path.isEmpty() ? "" : ".") + name);
    }
    return Text.printable(path.toString());
  }

  private static String where(@Nullable TokenStreamLocation location) {
    return location == null
        ? ""
        : ", at line %d, column %d".formatted(location.getLineNr(), location.getColumnNr());
  }
}
