package dev.holdfast.servlet;

import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A response as it is kept. Immutable: the bytes must not be changed.
 *
 * <p>Its bytes are: a version; whether it is an error; the status; the texts, each as its length
 * plus one (zero where it is null) and its UTF-8; the headers after their number; and to the end,
 * the body. Numbers have seven bits in each byte, the lowest first, and a sign that more follow.
 *
 * @param error whether it was sent by {@code sendError}, so that the container makes its body
 * @param message of such an error, or null
 * @param contentType or null
 * @param headers all others, in their order
 */
@SuppressWarnings("ArrayRecordComponent") // equal by content
record StoredResponse(
    int status,
    boolean error,
    @Nullable String message,
    @Nullable String contentType,
    List<Header> headers,
    byte[] body) {
  private static final int VERSION = 1;

  /** One line of the head of a response. */
  record Header(String name, String value) {}

  /** Bytes that are no response of this kind. */
  static final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length + 256);
    bytes.write(VERSION);
    bytes.write(error ? 1 : 0);
    number(bytes, status);
    text(bytes, message);
    text(bytes, contentType);
    number(bytes, headers.size());
    for (Header header : headers) {
      text(bytes, header.name());
      text(bytes, header.value());
    }
    bytes.writeBytes(body);
    return bytes.toByteArray();
  }

  private static void text(ByteArrayOutputStream bytes, @Nullable String text) {
    if (text == null) {
      number(bytes, 0);
      return;
    }
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    number(bytes, utf8.length + 1);
    bytes.writeBytes(utf8);
  }

  private static void number(ByteArrayOutputStream bytes, int number) {
    int rest = number;
    while (rest >= 0x80) {
      bytes.write((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    bytes.write(rest);
  }

  static StoredResponse read(byte[] bytes) throws UnreadableException {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      int version = in.get();
      if (version != VERSION) {
        throw new UnreadableException("a kept response has the unknown version " + version, null);
      }
      boolean error = in.get() == 1;
      int status = number(in);
      String message = text(in);
      String contentType = text(in);
      int count = number(in);
      List<Header> headers = new ArrayList<>(Math.min(count, in.remaining()));
      for (int i = 0; i < count; i++) {
        headers.add(new Header(some(text(in)), some(text(in))));
      }
      byte[] body = new byte[in.remaining()];
      in.get(body);
      return new StoredResponse(status, error, message, contentType, List.copyOf(headers), body);
    } catch (BufferUnderflowException e) {
      throw new UnreadableException("a kept response ends too early", e);
    }
  }

  private static String some(@Nullable String text) throws UnreadableException {
    if (text == null) {
      throw new UnreadableException("a header of a kept response has no name or value", null);
    }
    return text;
  }

  private static @Nullable String text(ByteBuffer in) throws UnreadableException {
    int length = number(in) - 1;
    if (length < 0) {
      return null;
    }
    if (length > in.remaining()) {
      throw new UnreadableException("a kept response ends too early", null);
    }
    byte[] utf8 = new byte[length];
    in.get(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private static int number(ByteBuffer in) throws UnreadableException {
    int number = 0;
    for (int shift = 0; shift < 32; shift += 7) {
      int next = in.get();
      number |= (next & 0x7f) << shift;
      if (next >= 0) {
        if (number < 0) {
          break;
        }
        return number;
      }
    }
    throw new UnreadableException("a kept response has a number that is too large", null);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoredResponse that && Arrays.equals(bytes(), that.bytes());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes());
  }

  @Override
  public String toString() {
    return status + " with " + headers.size() + " headers and " + body.length + " bytes";
  }
}
