package dev.holdfast.webhook;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a response body, made safe to store and show.
 *
 * <p>It reads more than it shows, so that it detects a secret that begins in the last character.
 */
final class Excerpt {
  private static final char REPLACEMENT = '\uFFFD';
  private static final int SAMPLE = 512;

  private final int limit;
  private final List<String> secrets;
  private final int capacity;
  private ByteBuffer bytes = ByteBuffer.allocate(0);
  private long seen;

  /**
   * @param limit maximum number of characters
   * @param secrets redacted in the text; the longest first
   */
  Excerpt(int limit, List<String> secrets) {
    this.limit = limit;
    this.secrets = secrets;
    this.capacity = limit + (secrets.isEmpty() ? 0 : secrets.get(0).length());
  }

  void add(ByteBuffer more) {
    seen += more.remaining();
    if (bytes.capacity() == 0) {
      // allocated late: a call waits for its response most of the time
      bytes = ByteBuffer.allocate(capacity);
    }
    int fits = Math.min(bytes.remaining(), more.remaining());
    bytes.put(more.slice().limit(fits));
    more.position(more.limit());
  }

  /** Number of bytes of the body so far, kept or not. */
  long seen() {
    return seen;
  }

  String text(@Nullable String contentEncoding) {
    if (seen == 0) {
      return "";
    }
    if (contentEncoding != null && !contentEncoding.equalsIgnoreCase("identity")) {
      return "[" + safe(contentEncoding) + ", not decoded, " + size() + "]";
    }
    byte[] read = new byte[bytes.position()];
    bytes.duplicate().flip().get(read);
    if (isBinary(read)) {
      return "[binary, " + size() + "]";
    }
    return safe(redacted(new String(read, StandardCharsets.UTF_8)));
  }

  private String size() {
    return seen > capacity ? "more than " + limit + " bytes" : seen + " bytes";
  }

  /** The text up to the limit; a redacted secret counts with its own length. */
  private String redacted(String text) {
    StringBuilder shown = new StringBuilder();
    int at = 0;
    while (at < text.length() && at < limit) {
      String secret = secretAt(text, at);
      if (secret != null) {
        shown.append(Redaction.HIDDEN);
        at += secret.length();
      } else {
        shown.append(text.charAt(at));
        at++;
      }
    }
    if (!shown.isEmpty() && Character.isHighSurrogate(shown.charAt(shown.length() - 1))) {
      shown.setLength(shown.length() - 1);
    }
    return shown.toString();
  }

  private @Nullable String secretAt(String text, int at) {
    for (String secret : secrets) {
      if (text.startsWith(secret, at)) {
        return secret;
      }
    }
    return null;
  }

  private static boolean isBinary(byte[] read) {
    int strange = 0;
    String sample = new String(read, 0, Math.min(SAMPLE, read.length), StandardCharsets.UTF_8);
    for (int i = 0; i < sample.length(); i++) {
      char c = sample.charAt(i);
      if (c == 0) {
        return true;
      }
      if (c == REPLACEMENT || isControl(c)) {
        strange++;
      }
    }
    // a truncated character at the end of the sample does not count
    return strange > 1 + sample.length() / 10;
  }

  /** Replaces characters that could manipulate a terminal or a log, or that are invisible. */
  static String safe(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean lone =
          Character.isHighSurrogate(c)
              ? !(i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1)))
              : Character.isLowSurrogate(c)
                  && !(i > 0 && Character.isHighSurrogate(text.charAt(i - 1)));
      safe.append(lone || isControl(c) ? REPLACEMENT : c);
    }
    return safe.toString();
  }

  private static boolean isControl(char c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL -> c != '\n' && c != '\t' && c != '\r';
      // right-to-left overrides and invisible characters
      case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
      default -> false;
    };
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "Excerpt[%d bytes]", seen);
  }
}
