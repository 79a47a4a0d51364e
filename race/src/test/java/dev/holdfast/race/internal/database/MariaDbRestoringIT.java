package dev.holdfast.race.internal.database;

final class MariaDbRestoringIT extends RestoringContract {
  @Override
  Server server() {
    return Server.MARIADB;
  }
}
