package dev.holdfast.event;

import java.util.List;

/**
 * How a worker is, at the moment when it was asked: a snapshot, which may be over already.
 * Immutable.
 *
 * @param hasLease whether it has its lease; without it nothing is claimed, and others take over
 * @param wakeUp how it learns of events that others schedule
 * @param troubles what it does not succeed in at present, each with the last error; it goes on
 *     trying, and forgets one as soon as it succeeds
 */
public record WorkerHealth(boolean hasLease, WakeUp wakeUp, List<String> troubles) {
  public WorkerHealth {
    troubles = List.copyOf(troubles);
  }

  /** How a worker learns of events that others schedule. */
  public enum WakeUp {
    /** It is told at once, and has proven that what others send arrives. */
    LISTENING,

    /**
     * It looks as often as {@link Worker.Builder#poll} says: always so where the database cannot
     * tell, and on PostgreSQL while the connection that listens is lost, or behind a pooler that
     * gives each transaction another connection.
     */
    POLLING
  }
}
