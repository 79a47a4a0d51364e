package dev.holdfast.race;

import java.sql.Connection;

/** What must hold when all actors have ended. */
@FunctionalInterface
public interface Invariant {
  /** Whether it holds; an {@link AssertionError} says that it does not, too. */
  boolean holds(Connection connection) throws Exception;
}
