package dev.holdfast.race.internal.database;

final class PostgreSqlRestoringIT extends RestoringContract {
  @Override
  Server server() {
    return Server.POSTGRESQL;
  }
}
