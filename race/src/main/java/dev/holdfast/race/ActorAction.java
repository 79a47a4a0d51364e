package dev.holdfast.race;

import javax.sql.DataSource;

/** The code of an actor that returns nothing. */
@FunctionalInterface
public interface ActorAction {
  /**
   * Runs the code. It must get its connections from this data source or from a {@link
   * RaceDataSource}.
   */
  void run(DataSource dataSource) throws Exception;
}
