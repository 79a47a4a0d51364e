package dev.holdfast.race.internal.database;

final class PostgreSqlWaitsIT extends WaitsContract {
  @Override
  Server server() {
    return Server.POSTGRESQL;
  }
}
