package dev.holdfast.web;

import dev.holdfast.web.api.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the URL of a request can be decoded. A malformed URL is an error of the client, and
 * would cause an internal error in the container or the framework.
 */
final class UrlEncodingCheck {
  private static final int HEXADECIMAL = 16;
  private static final int FIRST_BEYOND_ASCII = 0x80;

  private UrlEncodingCheck() {}

  /**
   * Rejects a path or query with an incomplete {@code %} sequence, and a query that is not UTF-8.
   *
   * @param passedOn whether the query belongs to another URL and is not checked
   */
  static void requireValid(HttpServletRequest request, boolean passedOn) {
    String query = request.getQueryString();
    boolean valid = isPlain(request.getRequestURI()) || decoded(request.getRequestURI()) != null;
    valid &= passedOn || query == null || isPlain(query) || isUtf8(decoded(query));
    if (!valid) {
      throw ProblemType.INVALID_ARGUMENT
          .with("the URL must be percent-encoded UTF-8: every % with two hexadecimal digits")
          .toException();
    }
  }

  /** Whether there is nothing to decode. */
  private static boolean isPlain(String text) {
    return text.chars().allMatch(next -> next != '%' && next < FIRST_BEYOND_ASCII);
  }

  /** The decoded bytes; null if they are malformed. */
  private static byte @Nullable [] decoded(String text) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
    for (int at = 0; at < text.length(); at++) {
      int next = text.charAt(at);
      if (next == '%') {
        boolean whole = at + 2 < text.length();
        int high = whole ? digit(text, at + 1) : -1;
        int low = whole ? digit(text, at + 2) : -1;
        if (high < 0 || low < 0) {
          return null;
        }
        next = high * HEXADECIMAL + low;
        at += 2;
      }
      bytes.write(next);
    }
    return bytes.toByteArray();
  }

  private static int digit(String text, int at) {
    return Character.digit(text.charAt(at), HEXADECIMAL);
  }

  private static boolean isUtf8(byte @Nullable [] bytes) {
    if (bytes == null) {
      return false;
    }
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
