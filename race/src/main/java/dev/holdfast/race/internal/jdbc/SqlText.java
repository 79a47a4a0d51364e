package dev.holdfast.race.internal.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Classifies SQL text, as far as that is possible without a parser.
 *
 * @param text as the code has written it
 * @param single whether it is one statement, not several
 * @param control what it does to the transaction, the last one to do something if there are several
 * @param atOnce whether it need not wait: its position among other steps has no visible effect
 * @param plainRead whether it certainly neither changes nor locks anything
 * @param splittable whether it can run in a transaction that is committed afterwards
 */
record SqlText(
    String text,
    boolean single,
    Control control,
    boolean atOnce,
    boolean plainRead,
    boolean splittable) {

  /** What a statement does to the transaction. */
  enum Control {
    NONE,
    BEGIN,
    COMMIT,
    ROLLBACK,
    ROLLBACK_TO,
    /** {@code SET AUTOCOMMIT}. */
    AUTOCOMMIT
  }

  private static final Set<String> SETTINGS =
      Set.of("set", "show", "reset", "savepoint", "release");

  /** What no transaction can hold, or what may hold transactions itself. */
  private static final Set<String> ALONE =
      Set.of("vacuum", "call", "do", "xa", "checkpoint", "discard", "cluster", "lock", "unlock");

  private static final Set<String> BEHIND_BEGIN =
      Set.of("", "work", "transaction", "isolation", "read", "deferrable", "immediate");

  static SqlText of(String text) {
    List<List<String>> parts = parts(SqlTokens.of(text));
    Control control = Control.NONE;
    boolean atOnce = !parts.isEmpty();
    boolean plain = !parts.isEmpty();
    boolean splittable = true;
    for (List<String> whole : parts) {
      List<String> part = withoutSettings(whole);
      Control own = control(part);
      control = own == Control.NONE ? control : own;
      atOnce &= isAtOnce(part, own);
      plain &= PlainRead.is(part);
      splittable &= own == Control.NONE && !isAlone(part);
    }
    return new SqlText(text, parts.size() <= 1, control, atOnce, plain, splittable);
  }

  /** Whether the whole text is the end of a transaction, or of a part of it. */
  boolean isEnd() {
    return single
        && (control == Control.COMMIT
            || control == Control.ROLLBACK
            || control == Control.ROLLBACK_TO);
  }

  private static List<List<String>> parts(List<String> tokens) {
    List<List<String>> parts = new ArrayList<>();
    List<String> part = new ArrayList<>();
    for (String token : tokens) {
      if (!token.equals(";")) {
        part.add(token);
      } else if (!part.isEmpty()) {
        parts.add(part);
        part = new ArrayList<>();
      }
    }
    if (!part.isEmpty()) {
      parts.add(part);
    }
    return parts;
  }

  /** What MariaDB's {@code SET STATEMENT … FOR} is about. */
  private static List<String> withoutSettings(List<String> part) {
    int of = part.indexOf("for");
    return word(part, 0).equals("set") && word(part, 1).equals("statement") && of > 0
        ? part.subList(of + 1, part.size())
        : part;
  }

  private static Control control(List<String> part) {
    String second = word(part, 1);
    return switch (word(part, 0)) {
      case "begin" -> BEHIND_BEGIN.contains(second) ? Control.BEGIN : Control.NONE;
      case "start" -> second.equals("transaction") ? Control.BEGIN : Control.NONE;
      case "commit", "end" -> second.equals("prepared") ? Control.NONE : Control.COMMIT;
      case "rollback", "abort" ->
          part.contains("to")
              ? Control.ROLLBACK_TO
              : second.equals("prepared") ? Control.NONE : Control.ROLLBACK;
      case "set" -> part.contains("autocommit") ? Control.AUTOCOMMIT : Control.NONE;
      default -> Control.NONE;
    };
  }

  private static boolean isAtOnce(List<String> part, Control control) {
    return switch (control) {
      case BEGIN, AUTOCOMMIT -> true;
      case COMMIT, ROLLBACK, ROLLBACK_TO -> false;
      case NONE ->
          // checks what was deferred
          (SETTINGS.contains(word(part, 0)) && !word(part, 1).equals("constraints"))
              || isSessionVariables(part)
              || isNextOfSequence(part);
    };
  }

  /** Reads nothing but variables of its own session, {@code SELECT @@SESSION.name, …}. */
  private static boolean isSessionVariables(List<String> part) {
    List<String> variable = List.of("@", "@", "session", ".");
    boolean reads = word(part, 0).equals("select") && part.size() > 1;
    for (int at = 1; reads && at < part.size(); at += 6) {
      reads =
          at + 4 < part.size()
              && part.subList(at, at + 4).equals(variable)
              && (at + 5 == part.size() || part.get(at + 5).equals(","));
    }
    return reads && !part.get(part.size() - 1).equals(",");
  }

  /** Asks for nothing but numbers of a sequence, which frameworks keep for later. */
  private static boolean isNextOfSequence(List<String> part) {
    List<String> words = part.stream().filter(token -> !token.equals("(")).toList();
    if (!Set.of("select", "values", "call").contains(word(words, 0))) {
      return false;
    }
    boolean next =
        switch (word(words, 1)) {
          case "nextval", "next_val" -> true;
          case "next" -> word(words, 2).equals("value");
          default -> word(words, 2).equals(".") && word(words, 3).equals("nextval");
        };
    int from = part.indexOf("from");
    return next
        && !part.subList(0, from < 0 ? part.size() : from).contains(",")
        && (from < 0
            || word(words, 1).equals("next_val")
            || Set.of("dual", "generate_series", "system_range").contains(word(part, from + 1)));
  }

  private static boolean isAlone(List<String> part) {
    String first = word(part, 0);
    String second = word(part, 1);
    return ALONE.contains(first)
        || part.contains("concurrently")
        || second.equals("prepared")
        || switch (first) {
          case "create", "drop" ->
              Set.of("database", "tablespace", "subscription").contains(second);
          case "alter" -> second.equals("system");
          case "reindex" -> Set.of("database", "system", "schema").contains(second);
          case "prepare" -> second.equals("transaction");
          default -> false;
        };
  }

  private static String word(List<String> part, int place) {
    return place < part.size() ? part.get(place) : "";
  }
}
