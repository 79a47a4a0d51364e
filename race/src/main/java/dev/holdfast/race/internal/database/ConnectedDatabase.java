package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.model.TableContent;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** A database that is known well. */
final class ConnectedDatabase implements Database {
  private final Connection control;
  private final Engine engine;
  private final int usualLevel;
  private final Copies copies;
  private final GeneratedIds ids = new GeneratedIds();
  private Catalogue catalogue;
  private Mentions mentions;
  private Contents contents;

  ConnectedDatabase(Connection control, Engine engine, int usualLevel) {
    this.control = control;
    this.engine = engine;
    this.usualLevel = usualLevel;
    copies = new Copies(control, engine);
    catalogue = new CatalogueDraft().finish(/* complete= */ false);
    mentions = new Mentions(catalogue);
    contents = new Contents(control, catalogue, engine.takesManyQueries());
  }

  @Override
  public String title() {
    return engine.title();
  }

  @Override
  public String product() {
    return engine.product();
  }

  @Override
  public int usualLevel() {
    return usualLevel;
  }

  @Override
  public long enter(Connection raw) throws SQLException {
    return engine.sessions().enter(raw);
  }

  @Override
  public void leave(Connection raw) {
    try {
      engine.sessions().leave(raw);
    } catch (SQLException e) {
      // it is broken, and its pool will find that out
    }
  }

  @Override
  public Map<Long, Set<Long>> waits(Set<Long> sessions) throws SQLException {
    return sessions.isEmpty() || !reportsWaits() ? Map.of() : engine.sessions().waits(sessions);
  }

  @Override
  public boolean reportsWaits() {
    return whyNoWaits().isEmpty();
  }

  @Override
  public String whyNoWaits() {
    return engine.sessions().whyNoWaits();
  }

  @Override
  public String describe(long session) throws SQLException {
    return engine.sessions().describe(session);
  }

  @Override
  public void remember() throws SQLException {
    contents.close();
    catalogue = engine.catalogue();
    mentions = new Mentions(catalogue);
    contents = new Contents(control, catalogue, engine.takesManyQueries());
    ids.spread(engine.counters());
    copies.remember(catalogue);
  }

  @Override
  public void reset(Set<String> tables) throws SQLException {
    copies.restore(tables, catalogue);
  }

  @Override
  public boolean keepPlaces() throws SQLException {
    boolean changed = engine.keepPlaces();
    copies.forgetScripts();
    return changed;
  }

  @Override
  public List<TableContent> read(Set<String> tables) throws SQLException {
    return contents.read(tables);
  }

  @Override
  public void resetAll() throws SQLException {
    copies.restoreAll(catalogue, engine.catalogue());
    ids.keepUp(engine.counters());
  }

  @Override
  public Set<String> tables() {
    return catalogue.titles();
  }

  @Override
  public Set<String> otherSchemas() throws SQLException {
    Set<String> names = new HashSet<>();
    Query.rows(
        control,
        "SELECT schema_name FROM information_schema.schemata",
        row -> names.add(row.getString(1).toLowerCase(Locale.ROOT)));
    names.removeAll(
        Query.rows(control, engine.ownSchemas(), row -> row.getString(1).toLowerCase(Locale.ROOT)));
    return names;
  }

  @Override
  public Set<String> smallTables() {
    return Catalogue.titles(
        catalogue.tables().stream().filter(table -> !copies.isLarge(table)).toList());
  }

  @Override
  public Set<String> touched(String sql, boolean write) {
    return mentions.touched(sql, write);
  }

  @Override
  public boolean isGenerated(long number) {
    return ids.contains(number);
  }

  @Override
  public boolean seesUncommitted(String sql) {
    return mentions.seesUncommitted(sql);
  }

  @Override
  public Connection control() {
    return control;
  }

  @Override
  public void close() {
    try (control) {
      contents.close();
      copies.forget();
      engine.close();
      control.setTransactionIsolation(usualLevel);
    } catch (SQLException e) {
      // the connection is broken: its temporary tables are gone with it
    }
  }
}
