package dev.holdfast.race;

import java.sql.Connection;

/** Code that prepares the database for a race. */
@FunctionalInterface
public interface Setup {
  /** Prepares the database once. Its result is restored before each run. */
  void prepare(Connection connection) throws Exception;
}
