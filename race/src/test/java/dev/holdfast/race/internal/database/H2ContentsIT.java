package dev.holdfast.race.internal.database;

final class H2ContentsIT extends ContentsContract {
  @Override
  Server server() {
    return Server.H2;
  }
}
