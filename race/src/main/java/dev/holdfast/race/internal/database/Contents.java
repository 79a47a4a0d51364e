package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.TableContent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads tables, with queries that are prepared once. */
final class Contents {
  private final Connection control;
  private final Catalogue catalogue;
  private final boolean manyAtOnce;
  private final Map<Set<String>, List<Table>> tables = new HashMap<>();
  private final Map<String, PreparedStatement> prepared = new HashMap<>();

  Contents(Connection control, Catalogue catalogue, boolean manyAtOnce) {
    this.control = control;
    this.catalogue = catalogue;
    this.manyAtOnce = manyAtOnce;
  }

  List<TableContent> read(Set<String> titles) throws SQLException {
    List<Table> wanted = tables.get(titles);
    if (wanted == null) {
      wanted = catalogue.tables(titles);
      tables.put(Set.copyOf(titles), wanted);
    }
    List<TableContent> read = new ArrayList<>();
    if (manyAtOnce && !wanted.isEmpty()) {
      readInto(read, wanted);
    } else {
      for (Table table : wanted) {
        readInto(read, List.of(table));
      }
    }
    return read;
  }

  private void readInto(List<TableContent> read, List<Table> tables) throws SQLException {
    PreparedStatement statement =
        prepared(tables.stream().map(Table::select).collect(Collectors.joining("; ")));
    statement.execute();
    for (Table table : tables) {
      try (ResultSet result = statement.getResultSet()) {
        read.add(content(table, result));
      }
      statement.getMoreResults();
    }
  }

  private static TableContent content(Table table, ResultSet result) throws SQLException {
    CellReader[] readers = CellReader.of(result.getMetaData());
    List<List<Cell>> rows = new ArrayList<>();
    while (result.next()) {
      List<Cell> cells = new ArrayList<>(readers.length);
      for (int i = 0; i < readers.length; i++) {
        cells.add(readers[i].read(result, i + 1));
      }
      rows.add(cells);
    }
    return new TableContent(
        table.title(), table.columns().stream().map(Table.Column::title).toList(), rows);
  }

  private PreparedStatement prepared(String sql) throws SQLException {
    PreparedStatement known = prepared.get(sql);
    if (known == null) {
      known = control.prepareStatement(sql);
      prepared.put(sql, known);
    }
    return known;
  }

  void close() throws SQLException {
    for (PreparedStatement statement : prepared.values()) {
      statement.close();
    }
    prepared.clear();
  }
}
