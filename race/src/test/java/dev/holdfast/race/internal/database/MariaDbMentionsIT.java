package dev.holdfast.race.internal.database;

final class MariaDbMentionsIT extends MentionsContract {
  @Override
  Server server() {
    return Server.MARIADB;
  }
}
