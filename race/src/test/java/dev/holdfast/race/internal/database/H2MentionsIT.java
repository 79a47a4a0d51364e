package dev.holdfast.race.internal.database;

final class H2MentionsIT extends MentionsContract {
  @Override
  Server server() {
    return Server.H2;
  }
}
