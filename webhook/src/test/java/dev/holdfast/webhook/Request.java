package dev.holdfast.webhook;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A request as a receiver has read it from its socket. */
record Request(String line, Map<String, List<String>> headers, String body, int connection) {

  /** The one value of a header. */
  String header(String name) {
    List<String> values = headers.getOrDefault(name, List.of());
    if (values.size() != 1) {
      throw new AssertionError(name + " is there " + values.size() + " times: " + headers);
    }
    return values.get(0);
  }

  /** Reads one; throws EOFException where the sender has closed. */
  static Request read(InputStream in, int connection) throws IOException {
    String line = line(in);
    Map<String, List<String>> headers = new TreeMap<>();
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      int colon = header.indexOf(':');
      headers
          .computeIfAbsent(
              header.substring(0, colon).toLowerCase(Locale.ROOT), name -> new ArrayList<>())
          .add(header.substring(colon + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", List.of("0")).get(0));
    return new Request(
        line, headers, new String(in.readNBytes(length), StandardCharsets.UTF_8), connection);
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException();
      }
      if (c != '\r') {
        line.write(c);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }
}
