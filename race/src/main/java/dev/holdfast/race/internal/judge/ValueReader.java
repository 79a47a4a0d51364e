package dev.holdfast.race.internal.judge;

import dev.holdfast.race.internal.judge.Fact.Entity;
import dev.holdfast.race.internal.judge.Fact.Part;
import dev.holdfast.race.internal.judge.Fact.Plain;
import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.sql.SQLException;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads values: finds in them what is new in every run, and leaves the rest as it is. */
final class ValueReader {
  private static final Pattern UUID =
      Pattern.compile("[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}");
  private static final Pattern NEW_VALUE = Pattern.compile(UUID + "|(?<!\\d)\\d{1,18}(?!\\d)");

  /** Numbers, UUIDs and the addresses of objects, in a message. */
  private static final Pattern OF_THIS_RUN = Pattern.compile(UUID + "|@[0-9a-f]{4,}|\\d+");

  private final LongPredicate generated;
  private final Set<String> known;
  private final ClockTimes moments;

  ValueReader(LongPredicate generated, Outcome given, Clock clock) {
    this.generated = generated;
    this.known = uuidsIn(given);
    this.moments = new ClockTimes(clock);
    for (TableContent table : given.tables()) {
      for (List<Cell> row : table.rows()) {
        for (Cell cell : row) {
          if (cell.kind() == Cell.Kind.TIME) {
            moments.given(cell.text());
          } else if (cell.kind() == Cell.Kind.NUMBER) {
            known.add(cell.text());
          }
        }
      }
    }
  }

  static Set<String> uuidsIn(Outcome outcome) {
    Set<String> found = new HashSet<>();
    for (TableContent table : outcome.tables()) {
      table.rows().forEach(row -> row.forEach(cell -> addUuids(cell.text(), found)));
    }
    outcome.ends().forEach(end -> addUuids(end.result().text(), found));
    outcome.effects().forEach(effect -> addUuids(effect.name(), found));
    return found;
  }

  private static void addUuids(String text, Set<String> found) {
    Matcher matcher = UUID.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group().toLowerCase(Locale.ROOT));
    }
  }

  void add(Cell cell, List<Part> parts) {
    switch (cell.kind()) {
      case NULL -> parts.add(new Plain("∅"));
      case NUMBER -> addNumber(cell.text(), parts);
      case TIME -> parts.add(new Plain(moments.of(cell.text())));
      default -> addText(cell.text(), parts);
    }
  }

  private void addNumber(String text, List<Part> parts) {
    if (text.matches("\\d{1,18}") && !known.contains(text)) {
      long number = Long.parseLong(text);
      if (moments.isNow(number)) {
        parts.add(new Plain("‹now›"));
        return;
      }
      if (generated.test(number)) {
        parts.add(new Entity(text, "id"));
        return;
      }
    }
    parts.add(new Plain(text));
  }

  void addText(String text, List<Part> parts) {
    Matcher matcher = NEW_VALUE.matcher(text);
    int from = 0;
    parts.add(new Plain("'"));
    while (matcher.find()) {
      String found = matcher.group().toLowerCase(Locale.ROOT);
      boolean uuid = found.indexOf('-') > 0;
      if (uuid ? !known.contains(found) : generated.test(Long.parseLong(found))) {
        parts.add(new Plain(text.substring(from, matcher.start())));
        parts.add(new Entity(found, uuid ? "uuid" : "id"));
        from = matcher.end();
      }
    }
    parts.add(new Plain(text.substring(from) + "'"));
  }

  /**
   * An error: its class, its SQLState, and its message without what is of this run only. What has
   * caused an error of the application's own is its own business: "sold out" is the same whether a
   * query or a constraint has found it.
   */
  static String textOf(Throwable error) {
    String message = error.getMessage();
    return error.getClass().getName()
        + " "
        + (error instanceof SQLException sql ? sql.getSQLState() : "")
        + " "
        + (message == null ? "" : OF_THIS_RUN.matcher(message).replaceAll("#"));
  }
}
