package dev.holdfast.race;

import javax.sql.DataSource;

/** What an actor does. */
@FunctionalInterface
public interface ActorAction {
  /**
   * Does it, with connections of this data source and no other (but those of a {@link
   * RaceDataSource}).
   */
  void run(DataSource dataSource) throws Exception;
}
