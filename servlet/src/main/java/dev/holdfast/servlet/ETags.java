package dev.holdfast.servlet;

import dev.holdfast.internal.Require;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import java.util.List;

/** Entity tags of resources. */
public final class ETags {
  private ETags() {}

  /**
   * The strong tag of a version, such as {@code "5"} with its quotes. Responses with the same
   * version must have the same bytes.
   */
  public static String of(long version) {
    Require.that(version >= 0, () -> "a version must not be negative, was " + version);
    return of(Long.toString(version));
  }

  /** The strong tag of an opaque version, which must not contain quotes. */
  public static String of(String version) {
    return "\"" + version + "\"";
  }

  /**
   * Adds the tag to the response to a GET or HEAD, and responds with 304 if the client has this
   * version: {@code if (ETags.checkNotModified(request, response, cart.version())) return;}
   *
   * @return whether the response is complete
   * @throws ProblemException if {@code If-None-Match} is malformed: 400
   */
  public static boolean checkNotModified(
      HttpServletRequest request, HttpServletResponse response, long version) {
    response.setHeader("ETag", of(version));
    String method = request.getMethod();
    List<String> lines = Collections.list(request.getHeaders("If-None-Match"));
    if (lines.isEmpty() || !(method.equals("GET") || method.equals("HEAD"))) {
      return false;
    }
    String header = String.join(",", lines).strip();
    boolean known =
        header.equals("*")
            || ETag.list("If-None-Match", header).stream()
                .map(ETag::opaque)
                .anyMatch(Long.toString(version)::equals);
    if (known) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
    }
    return known;
  }
}
