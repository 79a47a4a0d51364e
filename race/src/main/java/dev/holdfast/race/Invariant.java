package dev.holdfast.race;

import java.sql.Connection;

/** A condition that must hold after all actors have ended. */
@FunctionalInterface
public interface Invariant {
  /** Whether it holds. An {@link AssertionError} counts as {@code false}. */
  boolean holds(Connection connection) throws Exception;
}
