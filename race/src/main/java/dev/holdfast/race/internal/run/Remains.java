package dev.holdfast.race.internal.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clears away what lives that are over have left: open transactions, connections, threads. */
final class Remains {
  private static final long ROUND_MILLIS = 20;
  private static final int ROUNDS = 250;

  private Remains() {}

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
    for (int round = 0; round < ROUNDS; round++) {
      boolean alive = false;
      for (Life life : lives) {
        if (life.thread().isAlive()) {
          alive |= !ends(life.thread(), round);
        }
        if (!life.thread().isAlive()) {
          clear(life);
        }
      }
      if (!alive) {
        return;
      }
    }
  }

  private static boolean ends(Thread thread, int round) {
    try {
      if (round == ROUNDS / 2) {
        thread.interrupt();
      }
      TimeUnit.MILLISECONDS.timedJoin(thread, ROUND_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !thread.isAlive();
  }
}
