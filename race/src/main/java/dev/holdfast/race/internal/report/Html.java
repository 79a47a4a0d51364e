package dev.holdfast.race.internal.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes HTML. All text that comes from outside passes through {@link #text}. */
final class Html {
  private static final String STYLE = "report.css";

  private final StringBuilder out = new StringBuilder();

  /** Markup of our own, as it is. */
  Html raw(String markup) {
    out.append(markup);
    return this;
  }

  /** Any text: escaped, without what could deceive a reader. */
  Html text(String text) {
    out.append(escaped(text));
    return this;
  }

  /** An element with a text in it; nothing for an empty text. */
  Html element(String name, String classes, String text) {
    if (!text.isEmpty()) {
      out.append('<').append(name);
      if (!classes.isEmpty()) {
        out.append(" class=\"").append(classes).append('"');
      }
      out.append('>').append(escaped(text)).append("</").append(name).append('>');
    }
    return this;
  }

  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    String plain = Words.plain(text);
    for (int i = 0; i < plain.length(); i++) {
      char c = plain.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c);
      }
    }
    return escaped.toString();
  }

  static String style() {
    try (InputStream in = Html.class.getResourceAsStream(STYLE)) {
      if (in == null) {
        throw new IllegalStateException(STYLE + " must be beside the classes of the report");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
