package dev.holdfast.race.internal.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clears away what lives that are over have left: open transactions, connections, threads. */
final class RunCleanup {
  private static final long ROUND_MILLIS = 20;
  private static final int ROUNDS = 150;
  private static final int INTERRUPTED_ROUND = 10;

  private RunCleanup() {}

  /** Of a life whose thread has ended. */
  static void clear(Life life) {
    for (Connection raw : life.rawConnections()) {
      try {
        if (!raw.isClosed() && !raw.getAutoCommit()) {
          raw.rollback();
        }
        raw.close();
      } catch (SQLException gone) {
        // then nothing is left of it
      }
    }
  }

  /** Of all these, of which some may wait for locks of others. */
  static void clear(List<Life> lives) {
    boolean interrupted = Thread.interrupted();
    try {
      for (int round = 0; round < ROUNDS; round++) {
        boolean alive = false;
        for (Life life : lives) {
          interrupted |= join(life, round);
          if (life.hasEnded()) {
            clear(life);
          } else {
            alive = true;
          }
        }
        if (!alive) {
          return;
        }
      }
      lives.stream().filter(life -> !life.hasEnded()).forEach(RunCleanup::cutOff);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Waits a little for its end; returns whether the wait was interrupted. */
  private static boolean join(Life life, int round) {
    if (life.hasEnded()) {
      return false;
    }
    // never in the database: H2 closes its files when the thread that reads them is interrupted
    if (round == INTERRUPTED_ROUND && ThreadSnapshot.at(life.thread()).sleeps()) {
      life.thread().interrupt();
    }
    try {
      TimeUnit.MILLISECONDS.timedJoin(life.thread(), ROUND_MILLIS);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  /** Its code does not end, but holds no lock any more. */
  private static void cutOff(Life life) {
    for (Connection raw : life.rawConnections()) {
      try {
        raw.abort(Runnable::run);
        raw.close();
      } catch (SQLException gone) {
        // then nothing is left of it
      }
    }
  }
}
