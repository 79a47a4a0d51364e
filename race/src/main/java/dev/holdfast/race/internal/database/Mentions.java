package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Reference;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What a statement touches, by what its text mentions; all tables if that is unknown. */
final class Mentions {

  /** Clauses that see uncommitted changes, or do not wait for them. */
  private static final Pattern UNCOMMITTED =
      Pattern.compile(
          """
          \\bskip\\s+locked\\b|\\bnowait\\b|\\bwait\\s+[\\d.?]|advisory|\\bpg_try|\\bpg_locks\\b\
          |\\b(get|release|is_free|is_used|release_all)_locks?\\b|\\bpg_blocking\
          |\\block\\s+tables?\\b|^\\s*lock\\b|\\b(un)?listen\\b|\\bnotify\\b|\\bpg_notify\\b\
          |\\bnextval\\b|\\bsetval\\b|\\bcurrval\\b|\\blastval\\b|\\bnext\\s+value\\b\
          |\\bcurrent\\s+value\\b|\\.(next|curr)val\\b|lock_timeout|lock_wait_timeout\
          |statement_timeout|max_statement_time|max_execution_time|query_timeout\
          |read\\s+uncommitted|\\btxid_|\\bpg_current_|\\bpg_snapshot|\\bpg_stat|\\bpg_xact\
          |\\bxmin\\b|\\bxmax\\b|innodb_(trx|lock)|\\bprocesslist\\b|\\bdata_locks?\\b\
          |information_schema\\.(sessions|locks|in_doubt)|\\bperformance_schema\\b\
          """);

  private final Catalogue catalogue;
  private final Map<String, Set<String>> written = new HashMap<>();
  private final Map<String, Set<String>> named = new HashMap<>();
  private final Map<String, Boolean> uncommitted = new HashMap<>();

  Mentions(Catalogue catalogue) {
    this.catalogue = catalogue;
  }

  Set<String> touched(String sql, boolean write) {
    return write
        ? written.computeIfAbsent(sql, text -> written(SqlWords.of(text)))
        : named.computeIfAbsent(sql, text -> named(SqlWords.of(text)));
  }

  boolean seesUncommitted(String sql) {
    return uncommitted.computeIfAbsent(
        sql,
        text -> {
          SqlWords words = SqlWords.of(text);
          return UNCOMMITTED.matcher(words.text()).find()
              || !words.isKnown()
              || callsFunction(words)
              || (mentionsView(words) && (words.writes() || !catalogue.functions().isEmpty()))
              || (words.writes() && hasTriggers(catalogue.withCascades(mentioned(words))));
        });
  }

  private Set<String> written(SqlWords words) {
    if (!words.isKnown() || callsFunction(words)) {
      return catalogue.titles();
    }
    if (!words.writes()) {
      return Set.of();
    }
    Set<Table> mentioned = mentioned(words);
    Set<Table> changed = catalogue.withCascades(mentioned);
    boolean unclear = mentioned.isEmpty() || mentionsView(words) || hasTriggers(changed);
    return unclear || truncates(words) ? catalogue.titles() : Catalogue.titles(changed);
  }

  private Set<String> named(SqlWords words) {
    boolean unclear = !words.isKnown() || callsFunction(words) || mentionsView(words);
    if (unclear || !catalogue.complete()) {
      return catalogue.titles();
    }
    Set<Table> mentioned = mentioned(words);
    if (!words.writes()) {
      return Catalogue.titles(mentioned);
    }
    Set<Table> changed = catalogue.withCascades(mentioned);
    if (mentioned.isEmpty() || hasTriggers(changed) || truncates(words)) {
      return catalogue.titles();
    }
    Set<Table> checked = new LinkedHashSet<>(changed);
    for (Reference reference : catalogue.references()) {
      // a foreign key is looked after from both of its ends
      if (changed.contains(reference.child()) || changed.contains(reference.parent())) {
        checked.add(reference.child());
        checked.add(reference.parent());
      }
    }
    return Catalogue.titles(checked);
  }

  /** With CASCADE, it reaches all that refer to the table. */
  private static boolean truncates(SqlWords words) {
    return words.all().contains("truncate") && words.all().contains("cascade");
  }

  private Set<Table> mentioned(SqlWords words) {
    Set<Table> mentioned = new LinkedHashSet<>();
    catalogue
        .names()
        .forEach(
            (name, tables) -> {
              if (words.mentions(name)) {
                mentioned.addAll(tables);
              }
            });
    return mentioned;
  }

  private boolean mentionsView(SqlWords words) {
    return catalogue.views().stream().anyMatch(words::mentions);
  }

  private boolean callsFunction(SqlWords words) {
    return catalogue.functions().stream().anyMatch(words.called()::contains);
  }

  private boolean hasTriggers(Collection<Table> tables) {
    return !catalogue.complete() || tables.stream().anyMatch(catalogue.triggers()::containsKey);
  }
}
