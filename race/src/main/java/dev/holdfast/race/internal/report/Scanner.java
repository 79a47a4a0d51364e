package dev.holdfast.race.internal.report;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Takes an SQL text to pieces, in the syntax of PostgreSQL, MariaDB, MySQL and H2 alike, and puts
 * what was bound in place of each {@code ?}. Comments are left out; a {@code ?} in a literal or a
 * name stays what it is.
 */
final class Scanner {
  private final String sql;
  private final boolean backslashes;
  private final Iterator<String> params;
  private final List<Token> tokens = new ArrayList<>();
  private boolean open;
  private int at;

  private Scanner(String sql, List<String> params, boolean backslashes) {
    this.sql = sql;
    this.params = params.iterator();
    this.backslashes = backslashes;
  }

  /** A literal with a backslash before its last quote is MySQL's: as standard SQL it never ends. */
  static List<Token> tokens(String sql, List<String> params) {
    Scanner standard = new Scanner(sql, params, false);
    List<Token> tokens = standard.scan();
    return standard.open ? new Scanner(sql, params, true).scan() : tokens;
  }

  private List<Token> scan() {
    while (at < sql.length()) {
      boolean blank = skipBlank();
      if (at < sql.length()) {
        next(blank);
      }
    }
    return tokens;
  }

  private boolean skipBlank() {
    int from = at;
    while (at < sql.length()) {
      if (Character.isWhitespace(sql.charAt(at))) {
        at++;
      } else if (sql.startsWith("--", at)) {
        int end = sql.indexOf('\n', at);
        at = end < 0 ? sql.length() : end;
      } else if (sql.startsWith("/*", at)) {
        skipComment();
      } else {
        break;
      }
    }
    return at > from;
  }

  private void skipComment() {
    int depth = 0;
    do {
      if (sql.startsWith("/*", at)) {
        depth++;
        at += 2;
      } else if (sql.startsWith("*/", at)) {
        depth--;
        at += 2;
      } else {
        at++;
      }
    } while (depth > 0 && at < sql.length());
  }

  private void next(boolean blank) {
    char c = sql.charAt(at);
    int from = at;
    Token.Kind kind = Token.Kind.SIGN;
    if (c == '\'') {
      skipQuoted(c);
      kind = Token.Kind.VALUE;
    } else if (c == '"' || c == '`') {
      skipQuoted(c);
      kind = Token.Kind.WORD;
    } else if (c == '$' && skipDollarQuoted()) {
      kind = Token.Kind.VALUE;
    } else if (Character.isDigit(c)) {
      skipWhile(".");
      kind = Token.Kind.VALUE;
    } else if (Character.isJavaIdentifierStart(c)) {
      skipWhile("$");
      kind = Token.Kind.WORD;
    } else if (sql.startsWith("??", at)) {
      at += 2;
    } else if (c == '?') {
      at++;
      boolean bound = params.hasNext();
      tokens.add(
          new Token(
              bound ? Token.Kind.BOUND : Token.Kind.PARAM, bound ? params.next() : "?", blank));
      return;
    } else {
      at += sql.startsWith("::", at) ? 2 : 1;
    }
    tokens.add(new Token(kind, sql.substring(from, at), blank));
  }

  private void skipWhile(String also) {
    while (at < sql.length()
        && (Character.isJavaIdentifierPart(sql.charAt(at)) || also.indexOf(sql.charAt(at)) >= 0)) {
      at++;
    }
  }

  private void skipQuoted(char quote) {
    at++;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == '\\' && backslashes) {
        at += 2;
      } else if (c != quote) {
        at++;
      } else if (at + 1 < sql.length() && sql.charAt(at + 1) == quote) {
        at += 2;
      } else {
        at++;
        return;
      }
    }
    at = sql.length();
    open = true;
  }

  private boolean skipDollarQuoted() {
    int end = sql.indexOf('$', at + 1);
    if (end < 0 || !sql.substring(at + 1, end).matches("[A-Za-z_]?\\w*")) {
      return false;
    }
    String tag = sql.substring(at, end + 1);
    int close = sql.indexOf(tag, end + 1);
    at = close < 0 ? sql.length() : close + tag.length();
    return true;
  }
}
