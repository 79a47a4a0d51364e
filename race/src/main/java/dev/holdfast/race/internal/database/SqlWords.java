package dev.holdfast.race.internal.database;

import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words of a text of SQL. It is not parsed: what stands in literals and comments counts as
 * well, so that whatever it can possibly do is thought of.
 *
 * @param text in lower case
 * @param all each word that could be a keyword or a name
 * @param called those that a parenthesis follows
 * @param first those that begin a statement
 */
record SqlWords(String text, Set<String> all, Set<String> called, Set<String> first) {
  private static final Pattern WORD =
      Pattern.compile("([\\p{L}_][\\p{L}\\p{N}_$]*)(?<call>[\"`\\]]?\\s*\\()?");
  private static final Pattern COMMENT_OR_LITERAL =
      Pattern.compile("'[^']*'|--[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);
  private static final Pattern SET_STATEMENT = Pattern.compile("\\bset\\s+statement\\b");
  private static final Pattern LOCKING = Pattern.compile("\\bfor\\s+(no\\s+key\\s+)?update\\b");

  /** What a text that contains none of these cannot do to a row. */
  private static final Set<String> WRITING =
      Set.of(
          "insert",
          "update",
          "delete",
          "merge",
          "replace",
          "truncate",
          "into",
          "upsert",
          "copy",
          "load",
          "import",
          "handler");

  /** How statements begin that change only rows that they name the table of, or none. */
  private static final Set<String> KNOWN =
      Set.of(
          "select",
          "with",
          "values",
          "table",
          "insert",
          "update",
          "delete",
          "merge",
          "replace",
          "truncate",
          "show",
          "explain",
          "describe",
          "desc",
          "set",
          "reset",
          "begin",
          "start",
          "commit",
          "end",
          "rollback",
          "abort",
          "savepoint",
          "release",
          "lock",
          "unlock",
          "listen",
          "unlisten",
          "notify",
          "declare",
          "fetch",
          "close",
          "use");

  static SqlWords of(String sql) {
    String lower = sql.toLowerCase(Locale.ROOT);
    // behind its FOR, an UPDATE begins a statement
    String text =
        SET_STATEMENT.matcher(lower).find()
            ? lower
            : LOCKING.matcher(lower).replaceAll("for_update");
    Set<String> all = new HashSet<>();
    Set<String> called = new HashSet<>();
    Matcher matcher = WORD.matcher(text);
    while (matcher.find()) {
      all.add(matcher.group(1));
      if (matcher.group("call") != null) {
        called.add(matcher.group(1));
      }
    }
    return new SqlWords(text, all, called, first(text));
  }

  private static Set<String> first(String text) {
    // with a backslash, a quote may not end its literal
    String bare = text.indexOf('\\') < 0 ? COMMENT_OR_LITERAL.matcher(text).replaceAll(" ") : text;
    Set<String> first = new HashSet<>();
    for (String statement : bare.split(";", -1)) {
      Matcher matcher = WORD.matcher(statement);
      if (matcher.find()) {
        first.add(matcher.group(1));
      }
    }
    return first;
  }

  /** Whether it is one of the statements that are known to do only what they say. */
  boolean isKnown() {
    return KNOWN.containsAll(first);
  }

  /** Whether it can possibly change a row. */
  boolean writes() {
    return all.stream().anyMatch(WRITING::contains);
  }

  boolean mentions(String name) {
    return all.contains(name) || (!isPlain(name) && text.contains(name));
  }

  private static boolean isPlain(String name) {
    Matcher matcher = WORD.matcher(name);
    return matcher.lookingAt() && matcher.end() == name.length();
  }
}
