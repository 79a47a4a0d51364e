package dev.holdfast.servlet;

/** The parameters of an item of RFC 8941, such as {@code ;a=1;b="x";c}, without their meaning. */
final class ItemParameters {
  private static final int MAX_DIGITS = 15;
  private static final int MAX_DIGITS_BEFORE_POINT = 12;
  private static final int MAX_DIGITS_AFTER_POINT = 3;
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~:/";

  private final String text;
  private int at;

  private ItemParameters(String text, int at) {
    this.text = text;
    this.at = at;
  }

  /** Whether all that follows from there are parameters, or nothing is. */
  static boolean areValid(String text, int from) {
    ItemParameters all = new ItemParameters(text, from);
    while (all.at < text.length()) {
      if (!all.parameter()) {
        return false;
      }
    }
    return true;
  }

  private boolean parameter() {
    if (!take(';')) {
      return false;
    }
    while (peek() == ' ') {
      at++;
    }
    if (!isKeyStart(peek())) {
      return false;
    }
    while (isKey(peek())) {
      at++;
    }
    return !take('=') || value();
  }

  private boolean value() {
    char c = peek();
    if (c == '"') {
      return string();
    }
    if (c == '?') {
      at++;
      return take('0') || take('1');
    }
    if (c == ':') {
      return bytes();
    }
    return (c == '-' || isDigit(c)) ? number() : token();
  }

  private boolean string() {
    at++;
    while (at < text.length()) {
      char c = text.charAt(at++);
      if (c == '"') {
        return true;
      }
      if (c == '\\' ? !take('"') && !take('\\') : c < ' ' || c >= 0x7f) {
        return false;
      }
    }
    return false;
  }

  private boolean bytes() {
    at++;
    while (isLetter(peek()) || isDigit(peek()) || "+/=".indexOf(peek()) >= 0) {
      at++;
    }
    return take(':');
  }

  private boolean number() {
    take('-');
    int whole = digits();
    if (!take('.')) {
      return whole >= 1 && whole <= MAX_DIGITS;
    }
    int fraction = digits();
    return whole >= 1
        && whole <= MAX_DIGITS_BEFORE_POINT
        && fraction >= 1
        && fraction <= MAX_DIGITS_AFTER_POINT;
  }

  private int digits() {
    int from = at;
    while (isDigit(peek())) {
      at++;
    }
    return at - from;
  }

  private boolean token() {
    if (!isLetter(peek()) && peek() != '*') {
      return false;
    }
    while (isLetter(peek()) || isDigit(peek()) || TOKEN_MARKS.indexOf(peek()) >= 0) {
      at++;
    }
    return true;
  }

  /** At the end a character that is nowhere allowed. */
  private char peek() {
    return at < text.length() ? text.charAt(at) : 0;
  }

  private boolean take(char wanted) {
    if (peek() != wanted) {
      return false;
    }
    at++;
    return true;
  }

  private static boolean isKeyStart(char c) {
    return (c >= 'a' && c <= 'z') || c == '*';
  }

  private static boolean isKey(char c) {
    return isKeyStart(c) || isDigit(c) || c == '_' || c == '-' || c == '.';
  }

  private static boolean isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
