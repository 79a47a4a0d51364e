package dev.holdfast.race.internal.database;

final class MariaDbContentsIT extends ContentsContract {
  @Override
  Server server() {
    return Server.MARIADB;
  }
}
