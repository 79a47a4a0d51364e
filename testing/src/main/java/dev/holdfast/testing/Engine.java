package dev.holdfast.testing;

import java.util.List;
import java.util.function.BinaryOperator;

/**
 * How a kind of database makes, addresses and drops a schema.
 *
 * @param create the statements that make it, with its name as %s, for a connection to the server
 * @param drop the statements that drop it, for a connection to it; they wait 5 s for locks at most
 * @param schemaUrl from the URL of the server and the name of the schema to the URL of the schema
 */
record Engine(
    String name, List<String> create, List<String> drop, BinaryOperator<String> schemaUrl) {

  static final Engine POSTGRESQL =
      new Engine(
          "PostgreSQL",
          List.of("create schema %s"),
          List.of("set lock_timeout = '5s'", "drop schema %s cascade"),
          (url, schema) -> url + (url.contains("?") ? "&" : "?") + "currentSchema=" + schema);

  static final Engine MARIADB =
      new Engine(
          "MariaDB",
          List.of("create database %s"),
          List.of("set lock_wait_timeout = 5", "drop database %s"),
          (url, schema) -> url.replaceFirst("^(jdbc:[^/?]*//[^/?]+)/?[^?]*", "$1/" + schema));

  static final Engine MYSQL = new Engine("MySQL", MARIADB.create, MARIADB.drop, MARIADB.schemaUrl);

  static final Engine H2 =
      new Engine(
          "H2",
          List.of("create schema %s"),
          List.of("drop schema %s cascade"),
          (url, schema) -> url + ";SCHEMA=" + schema);

  /** In this process, where a schema is a database of its own that appears when connected to. */
  static final Engine H2_IN_MEMORY =
      new Engine(
          "H2",
          List.of(),
          List.of("shutdown"),
          (url, schema) -> url + schema + ";DB_CLOSE_DELAY=-1");

  List<String> create(String schema) {
    return create.stream().map(sql -> sql.formatted(schema)).toList();
  }

  List<String> drop(String schema) {
    return drop.stream().map(sql -> sql.formatted(schema)).toList();
  }

  String schemaUrl(String serverUrl, String schema) {
    return schemaUrl.apply(serverUrl, schema);
  }
}
