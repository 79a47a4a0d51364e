package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.TableContent;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A table as several runs have left it, by what is worth comparing: without the ids, UUIDs and
 * times that are new in every run.
 */
final class ComparableTable {
  /** Generated ids begin there, and seldom is anything else as large. */
  private static final String LARGE = "[1-9]\\d{9,18}";

  private final List<Integer> columns;
  private final List<String> names;
  private final List<String> newColumns;
  private final List<List<List<String>>> runs = new ArrayList<>();

  /**
   * @param contents of the same table
   */
  ComparableTable(List<TableContent> contents) {
    List<String> all = contents.get(0).columns();
    this.columns =
        IntStream.range(0, all.size()).filter(i -> !isNews(contents, i)).boxed().toList();
    this.names = columns.stream().map(all::get).toList();
    this.newColumns = all.stream().filter(name -> !names.contains(name)).toList();
    contents.forEach(content -> runs.add(rowsOf(content)));
  }

  private static boolean isNews(List<TableContent> contents, int column) {
    return contents.stream()
        .flatMap(table -> table.rows().stream())
        .anyMatch(row -> column < row.size() && isNews(row.get(column)));
  }

  private static boolean isNews(Cell cell) {
    return switch (cell.kind()) {
      case UUID -> true;
      case TIME -> isOfThisRun(cell.text());
      case NUMBER -> cell.text().matches(LARGE);
      default -> false;
    };
  }

  /** A time of another day is data of the test. */
  private static boolean isOfThisRun(String time) {
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    return !time.contains("-")
        || Stream.of(today.minusDays(1), today, today.plusDays(1))
            .anyMatch(day -> time.startsWith(day.toString()));
  }

  private List<List<String>> rowsOf(TableContent table) {
    return rowsOf(table, columns, ComparableTable::text);
  }

  private static List<List<String>> rowsOf(
      TableContent table, List<Integer> columns, Function<Cell, String> text) {
    List<List<String>> rows = new ArrayList<>();
    for (List<Cell> row : table.rows()) {
      rows.add(
          columns.stream().filter(i -> i < row.size()).map(i -> text.apply(row.get(i))).toList());
    }
    rows.sort(Comparator.comparing(List::toString));
    return rows;
  }

  /** Whether two contents are the same, even if they are too long to be shown. */
  boolean areSame(TableContent one, TableContent other) {
    return rowsOf(one, columns, Cell::toString).equals(rowsOf(other, columns, Cell::toString));
  }

  private static String text(Cell cell) {
    return Words.shortened(cell.toString(), 60);
  }

  List<String> names() {
    return names;
  }

  /** The columns that are left out. */
  List<String> newColumns() {
    return newColumns;
  }

  /** The rows of one of the runs, in an order of their own. */
  List<List<String>> rows(int run) {
    return runs.get(run);
  }

  /** The rows of one of the runs that not all of them have. */
  List<List<String>> uncommon(int run) {
    List<List<String>> rows = new ArrayList<>(runs.get(run));
    List<List<String>> common = new ArrayList<>(runs.get(0));
    for (List<List<String>> other : runs) {
      List<List<String>> left = new ArrayList<>(other);
      common.removeIf(row -> !left.remove(row));
    }
    common.forEach(rows::remove);
    return rows;
  }

  /** Whether the first column names the rows, the same ones in all runs. */
  boolean isKeyed() {
    if (names.size() < 2) {
      return false;
    }
    Set<String> keys = keys(0);
    return IntStream.range(0, runs.size())
        .allMatch(run -> keys(run).equals(keys) && runs.get(run).size() == keys.size());
  }

  private Set<String> keys(int run) {
    Set<String> keys = new HashSet<>();
    runs.get(run).forEach(row -> keys.add(row.get(0)));
    return keys;
  }
}
