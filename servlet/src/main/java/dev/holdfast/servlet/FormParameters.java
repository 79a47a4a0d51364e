package dev.holdfast.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.net.URLDecoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The parameters of a form whose body was read before the container could look at it. */
final class FormParameters {
  private FormParameters() {}

  /** Whether a container would read parameters from the body of this request. */
  static boolean isForm(HttpServletRequest request) {
    return request.getMethod().equals("POST") && hasFormType(request);
  }

  private static boolean hasFormType(HttpServletRequest request) {
    String type = request.getContentType();
    return type != null
        && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
  }

  /**
   * Whether somebody has read a body into parameters: there are more than the query has. A
   * container does so for POST, filters such as Spring's for forms do so for other methods too.
   */
  static boolean wereRead(HttpServletRequest request) {
    if (!hasFormType(request)) {
      return false;
    }
    String query = request.getQueryString();
    long ofQuery =
        query == null
            ? 0
            : Arrays.stream(query.split("&", -1)).filter(pair -> !pair.isEmpty()).count();
    return request.getParameterMap().values().stream().mapToLong(values -> values.length).sum()
        > ofQuery;
  }

  /** Those of the query, and after them those of the body. */
  static Map<String, String[]> of(HttpServletRequest request, byte[] body) {
    String encoding = request.getCharacterEncoding();
    Charset charset = encoding == null ? StandardCharsets.UTF_8 : Charset.forName(encoding);
    Map<String, List<String>> all = new LinkedHashMap<>();
    request
        .getParameterMap()
        .forEach((name, values) -> all.put(name, new ArrayList<>(List.of(values))));
    for (String pair : new String(body, StandardCharsets.ISO_8859_1).split("&", -1)) {
      if (!pair.isEmpty()) {
        int equals = pair.indexOf('=');
        String name = equals < 0 ? pair : pair.substring(0, equals);
        String value = equals < 0 ? "" : pair.substring(equals + 1);
        all.computeIfAbsent(decoded(name, charset), unused -> new ArrayList<>())
            .add(decoded(value, charset));
      }
    }
    Map<String, String[]> parameters = new LinkedHashMap<>();
    all.forEach((name, values) -> parameters.put(name, values.toArray(new String[0])));
    return parameters;
  }

  private static String decoded(String text, Charset charset) {
    try {
      return URLDecoder.decode(text, charset);
    } catch (IllegalArgumentException e) {
      // as it is, rather than not at all
      return text;
    }
  }
}
