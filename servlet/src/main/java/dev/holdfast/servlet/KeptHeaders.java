package dev.holdfast.servlet;

import dev.holdfast.servlet.StoredResponse.Header;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The headers that a response had before the application got it, so that those of the application
 * are known: only they are kept, and only they are taken back.
 */
final class KeptHeaders {
  static final String REPLAYED = "Idempotent-Replayed";
  static final String MODE = "Idempotency-Mode";

  /** Of one response only, of one connection only, or made anew from what is kept. */
  private static final Set<String> NEVER_KEPT =
      Set.of(
          "date",
          "set-cookie",
          "set-cookie2",
          "connection",
          "keep-alive",
          "transfer-encoding",
          "te",
          "trailer",
          "upgrade",
          "content-length",
          "content-type",
          "idempotent-replayed");

  private final Map<String, List<String>> before;

  private KeptHeaders(Map<String, List<String>> before) {
    this.before = before;
  }

  static KeptHeaders before(HttpServletResponse response) {
    Map<String, List<String>> before = new LinkedHashMap<>();
    for (String name : response.getHeaderNames()) {
      before.put(lower(name), List.copyOf(response.getHeaders(name)));
    }
    return new KeptHeaders(before);
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /** What the application has set since then, without what is never kept. */
  List<Header> since(HttpServletResponse response) {
    Set<String> ofConnection = new HashSet<>();
    for (String line : response.getHeaders("Connection")) {
      for (String name : line.split(",", -1)) {
        ofConnection.add(lower(name.strip()));
      }
    }
    List<Header> kept = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (String name : response.getHeaderNames()) {
      String lower = lower(name);
      if (!seen.add(lower)
          || NEVER_KEPT.contains(lower)
          || lower.startsWith("proxy-")
          || ofConnection.contains(lower)) {
        continue;
      }
      Collection<String> values = response.getHeaders(name);
      if (!List.copyOf(values).equals(before.get(lower))) {
        values.forEach(value -> kept.add(new Header(name, value)));
      }
    }
    return kept;
  }

  /** Makes the response as it was before: without a body, a status and headers since then. */
  void restore(HttpServletResponse response) {
    response.reset();
    before.forEach((name, values) -> values.forEach(value -> response.addHeader(name, value)));
  }
}
