package dev.holdfast.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An error whose page is made by the container. */
record SentError(int status, @Nullable String message) {
  void send(HttpServletResponse response) throws IOException {
    if (message == null) {
      response.sendError(status);
    } else {
      response.sendError(status, message);
    }
  }
}
