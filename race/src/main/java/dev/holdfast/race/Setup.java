package dev.holdfast.race;

import java.sql.Connection;

/** Prepares the database for a race. */
@FunctionalInterface
public interface Setup {
  /** Prepares it, once; what it leaves is put back before each run. */
  void on(Connection connection) throws Exception;
}
