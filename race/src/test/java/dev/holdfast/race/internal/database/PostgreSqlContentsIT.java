package dev.holdfast.race.internal.database;

final class PostgreSqlContentsIT extends ContentsContract {
  @Override
  Server server() {
    return Server.POSTGRESQL;
  }
}
