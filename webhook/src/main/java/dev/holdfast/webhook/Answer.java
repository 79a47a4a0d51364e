package dev.holdfast.webhook;

import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.jspecify.annotations.Nullable;

/** The head of a target's answer, as far as it matters. */
record Answer(
    int status,
    @Nullable String contentEncoding,
    @Nullable String retryAfter,
    @Nullable String date) {

  static Answer of(HttpResponse response) {
    return new Answer(
        response.getCode(),
        value(response, "content-encoding"),
        value(response, "retry-after"),
        value(response, "date"));
  }

  private static @Nullable String value(HttpResponse response, String name) {
    Header header = response.getFirstHeader(name);
    return header == null ? null : header.getValue();
  }
}
