package dev.holdfast.testing;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words by which Holdfast asks one database for the time, and how that database writes a time.
 * Immutable and thread-safe.
 */
final class ClockWords {
  private static final DateTimeFormatter UTC =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final Pattern DEFINITION =
      Pattern.compile("(?:CREATE|ALTER)\\b", Pattern.CASE_INSENSITIVE);

  /** What all databases can keep, with room for what comes a while later. */
  static final Instant FIRST = Instant.parse("1970-01-02T00:00:00Z");

  static final Instant LAST = Instant.parse("9999-12-30T00:00:00Z");

  /** By word in lower case, without spaces: what takes its place, given a time. */
  private final Map<String, UnaryOperator<String>> literals;

  private final Pattern next;
  private final boolean backslashes;

  /**
   * @param word a word for the time, as a regular expression
   * @param backslashes whether one in a string takes the next character with it
   */
  private ClockWords(
      String word, boolean backslashes, Map<String, UnaryOperator<String>> literals) {
    this.literals = literals;
    this.backslashes = backslashes;
    String comments =
        backslashes
            ? "--(?=\\s|$)|#|/\\*"
            : "--|/\\*|(?<![\\p{L}\\p{N}_$])\\$(?:[\\p{L}_][\\p{L}\\p{N}_]*)?\\$";
    this.next =
        Pattern.compile(
            "(?<skip>['\"`]|" + comments + ")|(?<![\\p{L}\\p{N}_$.])(?<now>" + word + ")",
            Pattern.CASE_INSENSITIVE);
  }

  static ClockWords of(String family) {
    return switch (family) {
      case "postgresql" ->
          new ClockWords(
              "statement_timestamp\\s*\\(\\s*\\)",
              false,
              Map.of("statement_timestamp()", time -> "timestamptz '" + time + "+00'"));
      case "mysql" ->
          new ClockWords(
              "(?:utc_timestamp|current_timestamp)\\s*\\(\\s*6\\s*\\)",
              true,
              Map.of(
                  "utc_timestamp(6)",
                  time -> "TIMESTAMP'" + time + "'",
                  // the one that is in the zone of the session
                  "current_timestamp(6)",
                  time -> "CONVERT_TZ(TIMESTAMP'" + time + "', '+00:00', @@session.time_zone)"));
      case "h2" ->
          new ClockWords(
              "current_timestamp(?:\\s*\\(\\s*6\\s*\\)|(?![\\p{L}\\p{N}_$]|\\s*\\())",
              false,
              Map.of(
                  "current_timestamp",
                  ClockWords::withZone,
                  "current_timestamp(6)",
                  ClockWords::withZone));
      default -> throw new UnsupportedOperationException("a settable clock on " + family);
    };
  }

  private static String withZone(String time) {
    return "TIMESTAMP WITH TIME ZONE '" + time + "+00:00'";
  }

  /**
   * The statement with this time in the place of each word for the time that stands in the open.
   */
  String replace(String sql, Instant time) {
    if (DEFINITION.matcher(sql.stripLeading()).lookingAt()) {
      // a default is for later rows, too
      return sql;
    }
    StringBuilder replaced = new StringBuilder();
    Matcher found = next.matcher(sql);
    int copied = 0;
    int from = 0;
    while (found.find(from)) {
      from = found.end();
      if (found.group("now") == null) {
        from = endOf(sql, found.start(), found.group("skip"));
        continue;
      }
      String word = found.group("now").toLowerCase(Locale.ROOT).replaceAll("\\s", "");
      replaced.append(sql, copied, found.start());
      replaced.append(literals.getOrDefault(word, same -> word).apply(text(time)));
      copied = from;
    }
    return copied == 0 ? sql : replaced.append(sql, copied, sql.length()).toString();
  }

  private static String text(Instant time) {
    if (time.isBefore(FIRST) || time.isAfter(LAST)) {
      throw new IllegalArgumentException(
          "a clock over a database must be from " + FIRST + " to " + LAST + ", was " + time);
    }
    return UTC.format(time);
  }

  /** Where a string, a quoted name or a comment ends; the end of the statement if nowhere. */
  private int endOf(String sql, int start, String opening) {
    return switch (opening) {
      case "--", "#" -> behind(sql.indexOf('\n', start), 1, sql);
      case "/*" -> endOfComment(sql, start);
      case "'", "\"", "`" -> endOfQuoted(sql, start, opening.charAt(0));
      default -> behind(sql.indexOf(opening, start + opening.length()), opening.length(), sql);
    };
  }

  private static int behind(int index, int length, String sql) {
    return index < 0 ? sql.length() : index + length;
  }

  private int endOfQuoted(String sql, int start, char quote) {
    boolean escapes =
        quote != '`'
            && (backslashes
                || (quote == '\'' && start > 0 && "eE".indexOf(sql.charAt(start - 1)) >= 0));
    for (int i = start + 1; i < sql.length(); i++) {
      boolean doubled =
          sql.charAt(i) == quote && i + 1 < sql.length() && sql.charAt(i + 1) == quote;
      if (doubled || (escapes && sql.charAt(i) == '\\')) {
        i++;
      } else if (sql.charAt(i) == quote) {
        return i + 1;
      }
    }
    return sql.length();
  }

  /** PostgreSQL and H2 nest them; MariaDB and MySQL do not. */
  private int endOfComment(String sql, int start) {
    int depth = 0;
    for (int i = start; i + 1 < sql.length(); i++) {
      if (sql.startsWith("*/", i)) {
        depth--;
        i++;
      } else if (sql.startsWith("/*", i) && (depth == 0 || !backslashes)) {
        depth++;
        i++;
      }
      if (depth == 0) {
        return i + 1;
      }
    }
    return sql.length();
  }
}
