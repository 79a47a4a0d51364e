package dev.holdfast.race.internal.database;

import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What differs between databases. Made for one control connection. */
interface Engine {

  /** {@code PostgreSQL}. */
  String product();

  /** With its version and what else decides about races. */
  String title();

  Sessions sessions();

  /** Reads what there is now. */
  Catalogue catalogue() throws SQLException;

  /** The query for the schemas whose tables are in the {@link #catalogue()}. */
  default String ownSchemas() {
    return "SELECT schema_name FROM information_schema.schemata";
  }

  /** What generates ids now, without what must be left alone. */
  List<Counter> counters() throws SQLException;

  /** Makes copies of tables, of these names, that only the control connection sees. */
  void copy(Map<Table, String> copies) throws SQLException;

  /** Drops copies, of which some may not be there. */
  void drop(Collection<String> copies) throws SQLException;

  /** Whether tables can be restored without those that refer to them. */
  boolean ignoresReferences();

  /** What restores these tables, as often as it is run. */
  Script restore(List<Restored> tables, Catalogue catalogue) throws SQLException;

  /** See {@link Database#keepPlaces}. Most engines keep rows in the order of their key. */
  default boolean keepPlaces() {
    return false;
  }

  /** Whether several queries can be sent as one text. */
  boolean takesManyQueries();

  /** Puts back the settings of the control connection. */
  void close() throws SQLException;

  /**
   * A table to restore.
   *
   * @param copy where its rows are; empty if it had none
   */
  record Restored(Table table, String copy) {}

  /** Statements that belong together, all or nothing. */
  interface Script {
    void run() throws SQLException;

    default void close() throws SQLException {}
  }
}
