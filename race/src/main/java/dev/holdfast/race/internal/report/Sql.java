package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What can be seen of a statement in its text. Only what is certain: if the text is not understood,
 * the statement names no tables.
 */
final class Sql {
  private static final String[] AFTER_TABLE = {
    "where",
    "join",
    "left",
    "right",
    "inner",
    "cross",
    "full",
    "natural",
    "on",
    "using",
    "group",
    "order",
    "limit",
    "for",
    "having",
    "union",
    "set",
    "offset",
    "fetch",
    "returning",
    "window"
  };

  private final List<Token> tokens;
  private final List<Token> unbound;
  private final Set<String> reads = new LinkedHashSet<>();
  private final Set<String> writes = new LinkedHashSet<>();
  private String verb = "";

  private Sql(List<Token> tokens, List<Token> unbound) {
    this.tokens = tokens;
    this.unbound = unbound;
    findTables();
  }

  static Sql of(Step step) {
    boolean sql = step.kind() == StepKind.STATEMENT || step.kind() == StepKind.BATCH;
    return sql ? of(step.text(), step.params()) : new Sql(List.of(), List.of());
  }

  static Sql of(String text, List<String> params) {
    return new Sql(Scanner.tokens(text, params), Scanner.tokens(text, List.of()));
  }

  private void findTables() {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean follows = i > 0 && tokens.get(i - 1).isOneOf("for", "do", "key", "on");
      if (token.isOneOf("insert", "delete", "merge", "update", "replace") && !follows) {
        if (verb.isEmpty() || verb.equals("select")) {
          verb = token.name();
        }
        int name = skip(i + 1, "into", "from", "ignore", "low_priority", "only");
        tableAt(name, writes);
      } else if (token.is("select") && verb.isEmpty()) {
        verb = "select";
      } else if (token.isOneOf("from", "join") && (i == 0 || !tokens.get(i - 1).is("delete"))) {
        tablesFrom(skip(i + 1, "only", "lateral"));
      }
    }
  }

  private int skip(int from, String... words) {
    int i = from;
    while (i < tokens.size() && tokens.get(i).isOneOf(words)) {
      i++;
    }
    return i;
  }

  /** {@code a, b AS x, c}: names with commas between, as long as that is plain to see. */
  private void tablesFrom(int from) {
    int i = tableAt(from, reads);
    while (i < tokens.size() && i > from) {
      if (tokens.get(i).is(",")) {
        from = i + 1;
        i = tableAt(from, reads);
      } else if (tokens.get(i).kind() == Token.Kind.WORD && !tokens.get(i).isOneOf(AFTER_TABLE)) {
        i++;
      } else {
        return;
      }
    }
  }

  /** Adds the name there is, without its schema. Returns the index after it. */
  private int tableAt(int index, Set<String> found) {
    int i = index;
    if (i >= tokens.size()
        || tokens.get(i).kind() != Token.Kind.WORD
        || tokens.get(i).is("select")) {
      return i;
    }
    while (i + 2 < tokens.size() && tokens.get(i + 1).is(".")) {
      i += 2;
    }
    boolean call = i + 1 < tokens.size() && tokens.get(i + 1).is("(") && verb.equals("select");
    if (!call) {
      found.add(tokens.get(i).name());
    }
    return i + 1;
  }

  /** {@code select}, {@code insert}, {@code update}, {@code delete}, … or empty. */
  String verb() {
    return verb;
  }

  Set<String> reads() {
    return reads;
  }

  Set<String> writes() {
    return writes;
  }

  /** Whether it is a query that locks what it reads. */
  boolean locks() {
    for (int i = 0; i + 1 < tokens.size(); i++) {
      if (tokens.get(i).is("for") && tokens.get(i + 1).isOneOf("update", "share", "no", "key")) {
        return true;
      }
    }
    return false;
  }

  /** Whether it passes over what others have locked. */
  boolean skipsLocked() {
    return follow("skip", "locked");
  }

  /** Whether it is an insert that changes the row that is there already. */
  boolean upserts() {
    return verb.equals("replace")
        || verb.equals("merge")
        || (verb.equals("insert") && (follow("do", "update") || follow("key", "update")));
  }

  private boolean follow(String one, String other) {
    for (int i = 0; i + 1 < tokens.size(); i++) {
      if (tokens.get(i).is(one) && tokens.get(i + 1).is(other)) {
        return true;
      }
    }
    return false;
  }

  /** Whether others may hold the same lock: {@code FOR SHARE}, {@code FOR KEY SHARE}. */
  boolean locksShared() {
    return follow("for", "share") || follow("for", "key");
  }

  /** Whether it begins with a {@code WITH}, so that its condition may be that of another query. */
  boolean composed() {
    return !tokens.isEmpty() && tokens.get(0).is("with");
  }

  /** Whether both can mean the same row: they compare a column with the same, and none differs. */
  boolean mayMeanSameRow(Sql other) {
    Map<String, String> mine = equalities();
    Map<String, String> theirs = other.equalities();
    return mine.equals(theirs)
        || (mine.keySet().stream().anyMatch(theirs::containsKey)
            && mine.entrySet().stream()
                .allMatch(e -> e.getValue().equals(theirs.getOrDefault(e.getKey(), e.getValue()))));
  }

  /** Whether it asks how many there are, or whether there is any. */
  boolean counts() {
    return follow("count", "(") || follow("exists", "(");
  }

  /** Whether it adds rows up, so that it cannot lock them. */
  boolean aggregates() {
    for (int i = 0; i + 1 < tokens.size(); i++) {
      boolean call = tokens.get(i + 1).is("(");
      if ((call && tokens.get(i).isOneOf("count", "sum", "max", "min", "avg", "exists"))
          || (tokens.get(i).is("group") && tokens.get(i + 1).is("by"))) {
        return true;
      }
    }
    return false;
  }

  /** How many values can be bound. */
  int paramCount() {
    return (int) unbound.stream().filter(token -> token.kind() == Token.Kind.PARAM).count();
  }

  /** With what was bound, on one line. */
  String bound() {
    return text(tokens);
  }

  /** Without it, on one line. */
  String unbound() {
    return text(unbound);
  }

  /** Its condition, with what was bound; empty without one. */
  String where() {
    return text(part(tokens, "where", "returning", "order", "limit", "for", "group"));
  }

  String unboundWhere() {
    return text(part(unbound, "where", "returning", "order", "limit", "for", "group"));
  }

  /** What an update sets: columns and the new values as written. */
  Map<String, List<Token>> assignments() {
    Map<String, List<Token>> assignments = new LinkedHashMap<>();
    for (List<Token> one : split(part(tokens, "set", "where", "from", "returning"), ",")) {
      if (one.size() > 2 && one.get(1).is("=")) {
        assignments.put(one.get(0).name(), one.subList(2, one.size()));
      } else if (one.size() > 4 && one.get(1).is(".") && one.get(3).is("=")) {
        assignments.put(one.get(2).name(), one.subList(4, one.size()));
      }
    }
    return assignments;
  }

  /** The columns that its condition compares with a value: {@code code = 'TEN' AND …}. */
  Map<String, String> equalities() {
    Map<String, String> found = new LinkedHashMap<>();
    List<Token> where = part(tokens, "where", "returning", "order", "limit", "for", "group");
    for (int i = 1; i + 1 < where.size(); i++) {
      Token value = where.get(i + 1);
      boolean valued = value.isValue() || value.isOneOf("true", "false", "?");
      if (where.get(i).is("=") && where.get(i - 1).kind() == Token.Kind.WORD && valued) {
        found.put(where.get(i - 1).name(), value.text());
      }
    }
    return found;
  }

  /** The columns that an insert fills, if it names them. */
  List<String> insertColumns() {
    List<String> columns = new ArrayList<>();
    int open = 0;
    while (open < tokens.size() && !tokens.get(open).isOneOf("(", "values", "select")) {
      open++;
    }
    for (int i = open + 1; i < tokens.size() && tokens.get(open).is("("); i++) {
      if (tokens.get(i).is(")")) {
        return columns;
      }
      if (tokens.get(i).kind() == Token.Kind.WORD) {
        columns.add(tokens.get(i).name());
      }
    }
    return List.of();
  }

  private static List<Token> part(List<Token> tokens, String from, String... until) {
    int depth = 0;
    int begin = -1;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
      if (begin < 0 && depth == 0 && token.is(from)) {
        begin = i + 1;
      } else if (begin >= 0 && (depth < 0 || (depth == 0 && token.isOneOf(until)))) {
        return tokens.subList(begin, i);
      }
    }
    return begin < 0 ? List.of() : tokens.subList(begin, tokens.size());
  }

  private static List<List<Token>> split(List<Token> tokens, String at) {
    List<List<Token>> parts = new ArrayList<>();
    int depth = 0;
    int begin = 0;
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      depth += token.is("(") ? 1 : token.is(")") ? -1 : 0;
      if (depth == 0 && token.is(at)) {
        parts.add(tokens.subList(begin, i));
        begin = i + 1;
      }
    }
    parts.add(tokens.subList(begin, tokens.size()));
    return parts;
  }

  static String text(List<Token> tokens) {
    StringBuilder text = new StringBuilder();
    for (Token token : tokens) {
      if (token.blankBefore() && text.length() > 0) {
        text.append(' ');
      }
      text.append(token.text());
    }
    return text.toString();
  }
}
