package dev.holdfast.race.internal.database;

import dev.holdfast.testing.TestDatabase;

/** The databases of the contract, and how they write what is written differently. */
enum Server {
  POSTGRESQL(
      "int generated always as identity primary key", "int generated always as (%s) stored", "\""),
  MARIADB("int auto_increment primary key", "int as (%s) stored", "`"),
  H2("int generated always as identity primary key", "int generated always as (%s)", "\"");

  private final String identity;
  private final String computed;
  private final String quote;

  Server(String identity, String computed, String quote) {
    this.identity = identity;
    this.computed = computed;
    this.quote = quote;
  }

  TestDatabase database() {
    return switch (this) {
      case POSTGRESQL -> TestDatabase.postgreSql();
      case MARIADB -> TestDatabase.mariaDb();
      case H2 -> TestDatabase.h2();
    };
  }

  /** The type of a generated id, which is the primary key. */
  String identity() {
    return identity;
  }

  /** The type of an int that is computed. */
  String computed(String expression) {
    return computed.formatted(expression);
  }

  String quoted(String name) {
    return quote + name + quote;
  }
}
