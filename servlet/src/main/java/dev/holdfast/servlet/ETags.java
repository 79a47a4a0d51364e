package dev.holdfast.servlet;

import dev.holdfast.internal.Require;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Collections;
import java.util.List;

/** Entity tags of rows that have a version. */
public final class ETags {
  private ETags() {}

  /**
   * The strong tag of a version, such as {@code "5"} with its quotes. It stands for the whole row:
   * the same version must always be the same bytes.
   */
  public static String of(long version) {
    Require.that(version >= 0, () -> "a version must not be negative, was " + version);
    return "\"" + version + "\"";
  }

  /**
   * Gives the response to a GET or HEAD its tag, and answers by 304 where the client has this
   * version already: {@code if (ETags.checkNotModified(request, response, cart.version())) return;}
   *
   * @return whether it was answered
   * @throws ProblemException where {@code If-None-Match} is malformed: 400
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
