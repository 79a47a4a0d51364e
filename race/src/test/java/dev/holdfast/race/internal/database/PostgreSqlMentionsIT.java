package dev.holdfast.race.internal.database;

final class PostgreSqlMentionsIT extends MentionsContract {
  @Override
  Server server() {
    return Server.POSTGRESQL;
  }
}
