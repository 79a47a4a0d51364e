package dev.holdfast.schema;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.internal.sql.SessionSettings;
import dev.holdfast.internal.sql.SqlIdentifiers;
import dev.holdfast.transaction.DatabaseException;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The schema that Holdfast's tables are in.
 *
 * @param name as the catalog of the database has it
 * @param quoted as it is written in SQL
 */
record TargetSchema(String name, String quoted) {
  private static final int MAX_NAME_LENGTH = 256;

  /** Refuses, before there is a connection, what no database takes as the name of a schema. */
  static String check(String given) {
    Require.notBlank(given, "the name of a schema");
    try {
      String quoted =
          new SqlIdentifiers('"', SqlIdentifiers.Folding.NONE, MAX_NAME_LENGTH).quote(given);
      Require.that(
          quoted.indexOf('.') < 0, "the name of a schema must be one name, was '" + given + "'");
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(
          "the name of a schema must be one name, of letters, digits and '_' and not too long, was"
              + " '"
              + given
              + "'; put it in double quotes to keep capitals, spaces or hyphens");
    }
    return given;
  }

  static TargetSchema named(Dialect dialect, String given) {
    String quoted = dialect.quote(check(given));
    return new TargetSchema(quoted.substring(1, quoted.length() - 1), quoted);
  }

  /** The schema that names without one mean on this connection. */
  static TargetSchema current(Dialect dialect, Connection connection) {
    @Nullable String name;
    try {
      name = SessionSettings.ask(connection, "SELECT " + dialect.currentSchema());
    } catch (SQLException e) {
      throw new DatabaseException("asking for the current schema", e);
    }
    if (name == null) {
      throw new SchemaException(
          SchemaException.Reason.NO_SCHEMA,
          "the connection must have a current schema, has none that exists and that this user may"
              + " use; name one with schema(…), or in the JDBC URL");
    }
    // always written out, because an unqualified name may be found further down a search path
    return named(dialect, '"' + name + '"');
  }

  /** What {@code ${schema}} stands for. */
  String prefix() {
    return quoted + ".";
  }

  String ledger() {
    return prefix() + "holdfast_migration";
  }

  String create() {
    return "CREATE SCHEMA IF NOT EXISTS " + quoted;
  }

  @Override
  public String toString() {
    return "'" + name + "'";
  }
}
