package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Column;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * An unknown database, of which only the JDBC metadata is used. Waits are presumed, every change
 * may have changed every table, and what was in them is kept in memory.
 */
final class OtherEngine implements Engine {
  private final Connection control;
  private final DatabaseMetaData metaData;
  private final String product;
  private final String title;
  private final Sessions sessions;
  private final Map<String, List<Object[]>> copies = new HashMap<>();

  OtherEngine(Connection control) throws SQLException {
    this.control = control;
    metaData = control.getMetaData();
    product = metaData.getDatabaseProductName();
    title = product + " " + metaData.getDatabaseProductVersion().replaceFirst("(?s)\\s.*", "");
    sessions = new OtherSessions(product);
  }

  @Override
  public String product() {
    return product;
  }

  @Override
  public String title() {
    return title;
  }

  @Override
  public Sessions sessions() {
    return sessions;
  }

  @Override
  public Catalogue catalogue() throws SQLException {
    CatalogueDraft draft = new CatalogueDraft();
    List<String> names = new ArrayList<>();
    String[] onlyTables = {"TABLE", "BASE TABLE"};
    try (ResultSet found =
        metaData.getTables(control.getCatalog(), control.getSchema(), "%", onlyTables)) {
      while (found.next()) {
        names.add(found.getString("TABLE_NAME"));
      }
    }
    for (String name : names) {
      if (!Catalogue.isIgnored(name)) {
        draft.table(name, name, name, quoted(name), quoted(name));
        columns(draft, name);
        parents(draft, name);
      }
    }
    return draft.finish(false);
  }

  private void columns(CatalogueDraft draft, String table) throws SQLException {
    String escape = metaData.getSearchStringEscape();
    String exactly = table.replace("_", escape + "_").replace("%", escape + "%");
    try (ResultSet found =
        metaData.getColumns(control.getCatalog(), control.getSchema(), exactly, "%")) {
      while (found.next()) {
        String name = found.getString("COLUMN_NAME");
        boolean computed = "YES".equals(found.getString("IS_GENERATEDCOLUMN"));
        draft.column(table, new Column(name, quoted(name), computed, false));
      }
    }
  }

  private void parents(CatalogueDraft draft, String child) throws SQLException {
    try (ResultSet found =
        metaData.getImportedKeys(control.getCatalog(), control.getSchema(), child)) {
      while (found.next()) {
        draft.reference(child, found.getString("PKTABLE_NAME"), true);
      }
    }
  }

  private String quoted(String name) throws SQLException {
    String quote = metaData.getIdentifierQuoteString().strip();
    return quote + name.replace(quote, quote + quote) + quote;
  }

  @Override
  public List<Counter> counters() {
    return List.of();
  }

  @Override
  public void copy(Map<Table, String> wanted) throws SQLException {
    for (Map.Entry<Table, String> copy : wanted.entrySet()) {
      copies.put(copy.getValue(), rows(copy.getKey()));
    }
  }

  private List<Object[]> rows(Table table) throws SQLException {
    int columns = (int) table.columns().stream().filter(column -> !column.computed()).count();
    return Query.rows(
        control,
        "SELECT " + table.given() + " FROM " + table.source(),
        row -> {
          Object[] values = new Object[columns];
          for (int i = 0; i < columns; i++) {
            values[i] = row.getObject(i + 1);
          }
          return values;
        });
  }

  @Override
  public void drop(Collection<String> dropped) {
    copies.keySet().removeAll(dropped);
  }

  @Override
  public boolean ignoresReferences() {
    return false;
  }

  @Override
  public boolean takesManyQueries() {
    return false;
  }

  @Override
  public Script restore(List<Restored> tables, Catalogue catalogue) {
    Map<Table, List<Object[]>> rows = new HashMap<>();
    tables.forEach(
        restored -> rows.put(restored.table(), copies.getOrDefault(restored.copy(), List.of())));
    List<Table> parentsFirst = TableOrder.of(rows.keySet(), catalogue.references()).tables();
    List<Table> childrenFirst = new ArrayList<>(parentsFirst);
    Collections.reverse(childrenFirst);
    return () ->
        ControlTransaction.run(
            control,
            () -> {
              for (Table table : childrenFirst) {
                Query.run(control, table.delete());
              }
              for (Table table : parentsFirst) {
                insert(table, rows.getOrDefault(table, List.of()));
              }
            });
  }

  private void insert(Table table, List<Object[]> rows) throws SQLException {
    if (rows.isEmpty()) {
      return;
    }
    String places =
        Collections.nCopies(rows.get(0).length, "?").stream().collect(Collectors.joining(", "));
    String sql = "INSERT INTO %s (%s) VALUES (%s)".formatted(table.quoted(), table.given(), places);
    try (PreparedStatement insert = control.prepareStatement(sql)) {
      for (Object[] row : rows) {
        for (int i = 0; i < row.length; i++) {
          insert.setObject(i + 1, row[i]);
        }
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  @Override
  public void close() {
    copies.clear();
  }
}
