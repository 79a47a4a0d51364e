package dev.holdfast.servlet;

import dev.holdfast.servlet.StoredResponse.Header;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/** Gives a response again that was kept. */
final class Replay {
  private Replay() {}

  static void send(StoredResponse stored, boolean withMode, HttpServletResponse response)
      throws IOException {
    response.setStatus(stored.status());
    Set<String> seen = new HashSet<>();
    for (Header header : stored.headers()) {
      if (!withMode && header.name().equalsIgnoreCase(KeptHeaders.MODE)) {
        continue;
      }
      if (seen.add(header.name().toLowerCase(Locale.ROOT))) {
        response.setHeader(header.name(), header.value());
      } else {
        response.addHeader(header.name(), header.value());
      }
    }
    response.setHeader(KeptHeaders.REPLAYED, "true");
    if (stored.error()) {
      new SentError(stored.status(), stored.message()).send(response);
      return;
    }
    if (stored.contentType() != null) {
      response.setContentType(stored.contentType());
    }
    length(response, stored.body().length);
    response.getOutputStream().write(stored.body());
  }

  /** Tells the length, unless a response with this status must not have one. */
  static void length(HttpServletResponse response, long length) {
    int status = response.getStatus();
    if (length > 0 || (status >= 200 && status != 204 && status != 304)) {
      response.setContentLengthLong(length);
    }
  }
}
