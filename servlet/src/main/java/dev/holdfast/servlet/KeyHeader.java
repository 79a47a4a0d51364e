package dev.holdfast.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The header {@code Idempotency-Key}: a string of RFC 8941 in quotes, or the same without them
 * where it has neither blanks nor any of {@code " \ , ;}. Both ways name the same key. A string may
 * have parameters, as any item of RFC 8941; they are ignored, since none is defined.
 */
final class KeyHeader {
  static final String NAME = "Idempotency-Key";
  private static final int MAX = 255;

  private KeyHeader() {}

  /**
   * The key of a request; null where it has none.
   *
   * @throws ProblemException where it is malformed, or there are several
   */
  static @Nullable String of(HttpServletRequest request) {
    List<String> lines = Collections.list(request.getHeaders(NAME));
    if (lines.isEmpty()) {
      return null;
    }
    if (lines.size() > 1) {
      throw invalid("must be given once, was given " + lines.size() + " times");
    }
    return parse(lines.get(0));
  }

  static String parse(String header) {
    String text = stripBlanks(header);
    String key = text.startsWith("\"") ? quoted(text) : bare(text);
    if (key.isEmpty()) {
      throw invalid("must not be empty");
    }
    if (key.length() > MAX) {
      throw invalid("must have at most " + MAX + " characters, had " + key.length());
    }
    return key;
  }

  private static String stripBlanks(String text) {
    int start = 0;
    int end = text.length();
    while (start < end && isBlank(text.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(start, end);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }

  private static String bare(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c >= 0x7f) {
        throw otherCharacters();
      }
      if (c == ' ' || c == '"' || c == '\\' || c == ',' || c == ';') {
        throw invalid("must be in quotes where it has blanks or one of \" \\ , ;");
      }
    }
    return text;
  }

  private static String quoted(String text) {
    StringBuilder key = new StringBuilder(text.length());
    int i = 1;
    for (; i < text.length() && text.charAt(i) != '"'; i++) {
      char c = text.charAt(i);
      if (c == '\\') {
        i++;
        c = i < text.length() ? text.charAt(i) : 0;
        if (c != '"' && c != '\\') {
          throw invalid("has a backslash that is followed by neither \" nor \\");
        }
      } else if (c < ' ' || c >= 0x7f) {
        throw otherCharacters();
      }
      key.append(c);
    }
    if (i == text.length()) {
      throw invalid("has no closing quote");
    }
    if (!ItemParameters.areValid(text, i + 1)) {
      throw invalid("has something after its closing quote that is no parameter of RFC 8941");
    }
    return key.toString();
  }

  private static ProblemException otherCharacters() {
    return invalid("must have no other characters than visible ASCII and blanks");
  }

  private static ProblemException invalid(String why) {
    return Problems.keyInvalid(why).toException();
  }
}
