package dev.holdfast.race.internal.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The words and signs of an SQL text, without its comments: words in lower case, quoted names with
 * their quote in front, {@link #STRING} for a string, other signs one by one.
 */
final class SqlTokens {
  static final String STRING = "'";

  /** Stands for something that databases read in different ways. */
  static final String DOUBT = "\\";

  private final String sql;
  private final List<String> tokens = new ArrayList<>();
  private int at;

  private SqlTokens(String sql) {
    this.sql = sql;
  }

  static List<String> of(String sql) {
    SqlTokens reader = new SqlTokens(sql);
    while (reader.at < sql.length()) {
      reader.read(sql.charAt(reader.at));
    }
    return reader.tokens;
  }

  private void read(char c) {
    if (Character.isWhitespace(c)) {
      at++;
    } else if (sql.startsWith("--", at)) {
      skipLine();
    } else if (sql.startsWith("/*", at)) {
      skipComment();
    } else if (c == '#' && !follows('>') && !follows('-')) {
      // a comment in MySQL, an operator in PostgreSQL
      tokens.add(DOUBT);
      at++;
    } else if (c == '\'') {
      string();
    } else if (c == '"' || c == '`') {
      int end = end(String.valueOf(c), at + 1);
      tokens.add(c + sql.substring(at + 1, Math.max(at + 1, end - 1)));
      at = end;
    } else if (isWord(c)) {
      word();
    } else if (c != '$' || !dollarQuoted()) {
      tokens.add(String.valueOf(c));
      at++;
    }
  }

  private void skipLine() {
    int end = sql.indexOf('\n', at);
    at = end < 0 ? sql.length() : end + 1;
  }

  private void skipComment() {
    int end = end("*/", at + 2);
    // MySQL runs what is in /*! */; PostgreSQL has comments in comments
    if (sql.startsWith("/*!", at)
        || sql.startsWith("/*M!", at)
        || sql.substring(at + 2, end).contains("/*")) {
      tokens.add(DOUBT);
    }
    at = end;
  }

  private void string() {
    boolean escapes = at > 0 && (sql.charAt(at - 1) == 'e' || sql.charAt(at - 1) == 'E');
    int i = at + 1;
    while (i < sql.length()) {
      char c = sql.charAt(i);
      if (c == '\\') {
        tokens.add(DOUBT);
        i += escapes ? 1 : 0;
      } else if (c == '\'' && i + 1 < sql.length() && sql.charAt(i + 1) == '\'') {
        i++;
      } else if (c == '\'') {
        break;
      }
      i++;
    }
    tokens.add(STRING);
    at = Math.min(sql.length(), i + 1);
  }

  private void word() {
    int start = at;
    while (at < sql.length() && (isWord(sql.charAt(at)) || sql.charAt(at) == '$')) {
      at++;
    }
    tokens.add(sql.substring(start, at).toLowerCase(Locale.ROOT));
  }

  private boolean dollarQuoted() {
    int i = at + 1;
    while (i < sql.length() && isWord(sql.charAt(i))) {
      i++;
    }
    if (i >= sql.length() || sql.charAt(i) != '$') {
      return false;
    }
    at = end(sql.substring(at, i + 1), i + 1);
    tokens.add(STRING);
    return true;
  }

  private boolean follows(char c) {
    return at + 1 < sql.length() && sql.charAt(at + 1) == c;
  }

  /** Behind the next of these, or at the end of the text. */
  private int end(String mark, int from) {
    int found = sql.indexOf(mark, from);
    return found < 0 ? sql.length() : found + mark.length();
  }

  private static boolean isWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_';
  }
}
