package dev.holdfast.servlet;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.Part;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The body of a request, read to its end before anything is claimed: whoever hangs up half-way has
 * asked for nothing.
 *
 * <p>A multipart body whose servlet has a multipart configuration is read by the container, and
 * told from another one by its parts: the boundary between them is another one each time.
 *
 * @param bytes all of it; null where the container has its parts
 * @param told what tells it from another one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RequestBody(byte @Nullable [] bytes, byte[][] told) {
  private static final int CHUNK = 8192;

  /**
   * Reads it.
   *
   * @throws ProblemException where it is larger than {@code largest}, or takes longer than {@code
   *     within}
   * @throws IOException where its sender has gone
   */
  static RequestBody read(HttpServletRequest request, int largest, Duration within)
      throws IOException, ServletException {
    long length = request.getContentLengthLong();
    if (length > largest) {
      throw Problems.bodyTooLarge(largest).toException();
    }
    if (isMultipart(request)) {
      return parts(request, length, largest, within);
    }
    byte[] bytes = bytes(request, largest, within);
    if (bytes.length == 0 && FormParameters.wereRead(request)) {
      return new RequestBody(bytes, parameters(request, largest));
    }
    if (bytes.length < length) {
      throw new EOFException(
          "the body of the request ended after " + bytes.length + " of " + length + " bytes");
    }
    return new RequestBody(bytes, new byte[][] {bytes});
  }

  /** Of a form that somebody before the filter has asked for a parameter: its body is gone. */
  private static byte[][] parameters(HttpServletRequest request, int largest) {
    List<byte[]> told = new ArrayList<>();
    long size = 0;
    for (Map.Entry<String, String[]> parameter :
        new TreeMap<>(request.getParameterMap()).entrySet()) {
      for (String value : parameter.getValue()) {
        told.add(utf8(parameter.getKey()));
        told.add(utf8(value));
        size += parameter.getKey().length() + value.length();
      }
    }
    if (size > largest) {
      throw Problems.bodyTooLarge(largest).toException();
    }
    return told.toArray(new byte[0][]);
  }

  /** A single read waits as long as the container lets it: so the limit is for those who drip. */
  private static byte[] bytes(HttpServletRequest request, int largest, Duration within)
      throws IOException {
    long begun = System.nanoTime();
    InputStream in = request.getInputStream();
    ByteArrayOutputStream out = new ByteArrayOutputStream(Math.max(32, request.getContentLength()));
    byte[] chunk = new byte[CHUNK];
    for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
      if (out.size() + count > largest) {
        throw Problems.bodyTooLarge(largest).toException();
      }
      out.write(chunk, 0, count);
      if (System.nanoTime() - begun > within.toNanos()) {
        throw Problems.bodyTooSlow(within).toException();
      }
    }
    return out.toByteArray();
  }

  private static boolean isMultipart(HttpServletRequest request) {
    String type = request.getContentType();
    return type != null && type.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
  }

  private static RequestBody parts(
      HttpServletRequest request, long length, int largest, Duration within)
      throws IOException, ServletException {
    if (length < 0) {
      // the container would read it without our limit
      throw Problems.lengthRequired().toException();
    }
    Collection<Part> parts;
    try {
      parts = request.getParts();
    } catch (IllegalStateException | ServletException e) {
      RequestBody unread = unread(request, length, largest, within);
      if (unread == null) {
        throw e;
      }
      return unread;
    }
    List<byte[]> told = new ArrayList<>();
    for (Part part : parts) {
      told.add(utf8(part.getName()));
      told.add(utf8(part.getSubmittedFileName()));
      told.add(utf8(part.getContentType()));
      try (InputStream in = part.getInputStream()) {
        told.add(in.readAllBytes());
      }
    }
    return new RequestBody(null, told.toArray(new byte[0][]));
  }

  /**
   * All of a body whose parts were refused before any of it was read: its servlet has no multipart
   * configuration, or a smaller one, which the application is told when it asks for parts. Null
   * where the container has begun to read, and no part of it may be missing.
   */
  private static @Nullable RequestBody unread(
      HttpServletRequest request, long length, int largest, Duration within) {
    try {
      byte[] bytes = bytes(request, largest, within);
      return bytes.length == length ? new RequestBody(bytes, new byte[][] {bytes}) : null;
    } catch (IOException e) {
      // why it was refused says more
      return null;
    }
  }

  private static byte[] utf8(@Nullable String text) {
    return text == null ? new byte[0] : text.getBytes(StandardCharsets.UTF_8);
  }

  /** The content type, so that different spellings of the same are the same. */
  static String normalised(@Nullable String contentType) {
    if (contentType == null) {
      return "";
    }
    String[] pieces = contentType.toLowerCase(Locale.ROOT).split(";", -1);
    StringBuilder normal = new StringBuilder(pieces[0].strip());
    Arrays.stream(pieces, 1, pieces.length)
        .map(String::strip)
        .filter(piece -> !piece.isEmpty() && !piece.startsWith("boundary="))
        .map(piece -> piece.replace("\"", ""))
        .sorted()
        .forEach(piece -> normal.append(';').append(piece));
    return normal.toString();
  }
}
