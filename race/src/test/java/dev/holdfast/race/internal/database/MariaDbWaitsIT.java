package dev.holdfast.race.internal.database;

final class MariaDbWaitsIT extends WaitsContract {
  @Override
  Server server() {
    return Server.MARIADB;
  }
}
