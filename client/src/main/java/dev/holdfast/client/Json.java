package dev.holdfast.client;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** As much JSON as the client needs: objects, lists, texts, numbers, booleans and null. */
final class Json {
  private static final int DEEPEST = 100;
  private static final int UNICODE_DIGITS = 4;

  private final String text;
  private int at;
  private int depth;

  private Json(String text) {
    this.text = text;
  }

  /**
   * What the text says: a {@code Map}, {@code List}, {@code String}, {@code Double}, {@code
   * Boolean} or null.
   *
   * @throws IllegalArgumentException where it is no JSON
   */
  static @Nullable Object read(String text) {
    Json json = new Json(text);
    Object value = json.value();
    json.space();
    if (json.at < text.length()) {
      throw json.wrong("the end");
    }
    return value;
  }

  /** The text of a value of the same types; members that are null are left out. */
  static String write(Map<String, ? extends @Nullable Object> members) {
    StringBuilder out = new StringBuilder();
    write(members, out);
    return out.toString();
  }

  private static void write(@Nullable Object value, StringBuilder out) {
    if (value instanceof Map<?, ?> members) {
      String separator = "{";
      for (Map.Entry<?, ?> member : members.entrySet()) {
        if (member.getValue() != null) {
          out.append(separator);
          quote(String.valueOf(member.getKey()), out);
          out.append(':');
          write(member.getValue(), out);
          separator = ",";
        }
      }
      out.append(separator.equals("{") ? "{}" : "}");
    } else if (value instanceof List<?> items) {
      String separator = "[";
      for (Object item : items) {
        out.append(separator);
        write(item, out);
        separator = ",";
      }
      out.append(separator.equals("[") ? "[]" : "]");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else {
      quote(value.toString(), out);
    }
  }

  private static void quote(String text, StringBuilder out) {
    out.append('"');
    for (int index = 0; index < text.length(); index++) {
      char next = text.charAt(index);
      if (next == '"' || next == '\\') {
        out.append('\\').append(next);
      } else if (next < ' ' || Character.isSurrogate(next)) {
        out.append("\\u%04x".formatted((int) next));
      } else {
        out.append(next);
      }
    }
    out.append('"');
  }

  private @Nullable Object value() {
    space();
    return switch (peek()) {
      case '{' -> object();
      case '[' -> list();
      case '"' -> string();
      case 't' -> word("true", true);
      case 'f' -> word("false", false);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, @Nullable Object> object() {
    Map<String, @Nullable Object> members = new LinkedHashMap<>();
    begin();
    while (!ends('}', members.isEmpty())) {
      space();
      String name = string();
      space();
      expect(':');
      members.put(name, value());
    }
    return members;
  }

  private List<@Nullable Object> list() {
    List<@Nullable Object> items = new ArrayList<>();
    begin();
    while (!ends(']', items.isEmpty())) {
      items.add(value());
    }
    return items;
  }

  private void begin() {
    at++;
    if (++depth > DEEPEST) {
      throw wrong("less depth");
    }
  }

  /** Whether an object or list ends here; otherwise goes on to what comes next in it. */
  private boolean ends(char end, boolean first) {
    space();
    if (peek() == end) {
      at++;
      depth--;
      return true;
    }
    if (!first) {
      expect(',');
    }
    return false;
  }

  private String string() {
    expect('"');
    StringBuilder found = new StringBuilder();
    for (char next = next(); next != '"'; next = next()) {
      found.append(next == '\\' ? escaped() : next);
    }
    return found.toString();
  }

  private char escaped() {
    char next = next();
    return switch (next) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case '"', '\\', '/' -> next;
      case 'u' -> unicode();
      default -> throw wrong("an escape");
    };
  }

  private char unicode() {
    at += UNICODE_DIGITS;
    if (at > text.length()) {
      throw wrong("four digits");
    }
    return (char) Integer.parseInt(text, at - UNICODE_DIGITS, at, 16);
  }

  private Double number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    if (start == at) {
      throw wrong("a value");
    }
    return Double.valueOf(text.substring(start, at));
  }

  private @Nullable Object word(String word, @Nullable Object meaning) {
    if (!text.startsWith(word, at)) {
      throw wrong(word);
    }
    at += word.length();
    return meaning;
  }

  private void space() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    if (at >= text.length()) {
      throw wrong("more");
    }
    return text.charAt(at);
  }

  private char next() {
    char next = peek();
    at++;
    return next;
  }

  private void expect(char wanted) {
    if (next() != wanted) {
      throw wrong("'" + wanted + "'");
    }
  }

  private IllegalArgumentException wrong(String expected) {
    return new IllegalArgumentException("no JSON: " + expected + " was expected at " + at);
  }
}
