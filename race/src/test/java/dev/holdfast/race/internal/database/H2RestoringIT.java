package dev.holdfast.race.internal.database;

final class H2RestoringIT extends RestoringContract {
  @Override
  Server server() {
    return Server.H2;
  }
}
