package dev.holdfast.race.internal.model;

import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Where the connections of one actor wait for their turn. Called by the actor's threads.
 *
 * <p>The order of calls for a step: {@link #arrive}, then the round trip itself unless the ticket
 * says otherwise, then {@link #done}.
 */
public interface Gate {

  /**
   * What to do with a step.
   *
   * @param fate whether it is made, and whether the connection or the process survives it
   * @param injected an error to throw instead of making it, as the server would after having rolled
   *     the transaction back; null for none
   */
  record Ticket(Fate fate, @Nullable SQLException injected) {
    public static final Ticket GO = new Ticket(Fate.GO, null);
  }

  /**
   * Waits until the step may be made.
   *
   * @throws RunAborted if the run has ended
   */
  Ticket arrive(Step step);

  /** The round trip has ended; its rows may still be read. */
  void done(Step step, StepResult result);

  /**
   * The actor has a connection, and it is prepared. Called before its first step.
   *
   * @param number its number, counted from 1 for each actor
   * @param session how the database calls it
   * @param raw the connection itself, without a gate
   */
  void opened(int number, long session, Connection raw);

  /** The actor wanted a connection and got none. */
  default void notOpened(SQLException why) {}

  /** The actor has given the connection back. */
  void closed(int number);

  /**
   * Goes on only while the actor lives.
   *
   * @throws RunAborted if the run has ended, or the actor's process has died
   */
  void check();

  /** Whether {@link #check} would throw: for calls that clean up, which do nothing then. */
  boolean isOver();

  /** The code has chosen an isolation level, by itself. */
  void levelChosen();

  /** The number of the next connection, the next transaction. */
  int nextConnection();

  int nextTransaction();
}
