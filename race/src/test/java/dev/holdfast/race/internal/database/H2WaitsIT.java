package dev.holdfast.race.internal.database;

final class H2WaitsIT extends WaitsContract {
  @Override
  Server server() {
    return Server.H2;
  }
}
