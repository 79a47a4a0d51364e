package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.RunRecord.End;
import dev.holdfast.race.internal.run.ActorRun.Phase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/**
 * Detects which actors wait, and for which: by the database, and by the threads. Nothing is
 * concluded from time alone, except if the database does not report waits.
 */
final class WaitDetector {
  private static final long LOOK_AT_THREADS = millis(100);
  private static final long PRESUME = millis(150);
  private static final long POOL = millis(2_000);
  private static final long STRANGER = millis(3_000);

  /** Longer than MariaDB reports an old state. */
  private static final long FOR_WHOM = millis(300);

  private static final int DOUBTS = 300;
  private static final String POOL_SIZE =
      ". The pool needs one connection for each that the actors have at a time, and two more for"
          + " the race finder: raise its size (maximumPoolSize) for this test";
  private static final String ELSEWHERE =
      ". It waits for an answer that does not come through the data source of the actor. If that is"
          + " a connection from elsewhere, it may wait for a lock that an actor holds: use only the"
          + " data source that the actor is given, or one of RaceDataSource.wrap";

  private final Setting setting;
  private final Database database;
  private final List<ActorRun> actors;
  private final Timeline timeline;
  private final StateKeys states;
  private int order;

  WaitDetector(Setting setting, List<ActorRun> actors, Timeline timeline, StateKeys states) {
    this.setting = setting;
    this.database = setting.database();
    this.actors = actors;
    this.timeline = timeline;
    this.states = states;
  }

  private static long millis(long count) {
    return count * 1_000_000;
  }

  private long limitedByTimeout(long nanos) {
    return Math.min(nanos, setting.stepTimeout().toNanos() / 2);
  }

  /** Checks whether running actors that have not reached a step wait. */
  void lookAtRunning(Runnable acceptArrivals) throws SQLException, RunProblem {
    Map<Long, Set<Long>> waits =
        database.reportsWaits() ? database.waits(sessions(Phase.RUNNING)) : Map.of();
    // one may have come while the database was asked
    acceptArrivals.run();
    for (ActorRun actor : actors) {
      if (actor.phase == Phase.RUNNING) {
        look(actor, waits);
      }
    }
  }

  private void look(ActorRun actor, Map<Long, Set<Long>> waits) throws SQLException, RunProblem {
    long elapsed = System.nanoTime() - actor.since;
    Set<Long> blockers = new HashSet<>();
    boolean waiting = false;
    for (long session : actor.sessions()) {
      Set<Long> found = waits.get(session);
      if (found != null) {
        waiting = true;
        blockers.addAll(found);
      }
    }
    if (waiting) {
      waitsInDatabase(actor, blockers, elapsed);
    } else if (elapsed > LOOK_AT_THREADS) {
      lookAtThread(actor, elapsed);
    }
  }

  private void waitsInDatabase(ActorRun actor, Set<Long> blockers, long elapsed)
      throws SQLException, RunProblem {
    Set<Integer> others = new TreeSet<>();
    boolean itself = false;
    for (ActorRun other : actors) {
      for (long session : other.sessions()) {
        if (blockers.contains(session) || (blockers.isEmpty() && other != actor)) {
          itself |= other == actor;
          others.add(other.number);
        }
      }
    }
    others.remove(actor.number);
    boolean guessed = blockers.isEmpty() && others.size() > 1;
    if (guessed && elapsed <= FOR_WHOM) {
      return;
    }
    if (!others.isEmpty()) {
      waits(actor, List.copyOf(others), /* presumed= */ false);
      actor.waitsForSome = guessed;
    } else if (itself) {
      throw new RunProblem(
          End.STUCK,
          actor.spec.name()
              + " waits for itself: one of its connections waits for a lock that another of its"
              + " connections holds, so it would never end");
    } else if (elapsed > limitedByTimeout(STRANGER)) {
      long stranger = blockers.isEmpty() ? 0 : blockers.iterator().next();
      throw new RunProblem(
          End.UNKNOWN_CONNECTION,
          actor.spec.name()
              + " waits for a session that belongs to no actor: "
              + database.describe(stranger)
              + ". An actor must use only the data source that it is given, or one of"
              + " RaceDataSource.wrap; other work on this database must not lock its tables");
    }
  }

  private void lookAtThread(ActorRun actor, long elapsed) throws RunProblem {
    ThreadSnapshot look = ThreadSnapshot.at(actor.livingNow().thread());
    for (ActorRun other : actors) {
      if (other != actor && other.life != null && look.waitsFor(other.livingNow().thread())) {
        if (!setting.allowJvmLocks()) {
          throw new RunProblem(End.JVM_LOCK, javaLock(actor, other, look));
        }
        actor.waitsInJava = true;
        waits(actor, List.of(other.number), false);
        return;
      }
    }
    if (look.waitsForPool() && elapsed > limitedByTimeout(POOL)) {
      throw new RunProblem(
          End.POOL,
          actor.spec.name()
              + " waits for a connection of the pool, which has none left ("
              + look.place()
              + ")"
              + POOL_SIZE);
    }
    // before its first step it waits for a connection, which no actor prevents
    if (mayHideWaits() && actor.open != null && elapsed > PRESUME && look.waitsForAnswer()) {
      List<Integer> others = new ArrayList<>();
      actors.stream()
          .filter(other -> other != actor && !other.sessions().isEmpty())
          .forEach(other -> others.add(other.number));
      if (!others.isEmpty()) {
        actor.presumedAt = states.endings();
        waits(actor, others, /* presumed= */ true);
        return;
      }
    }
    Duration timeout = look.isAtWork() ? setting.stepTimeout() : setting.stepTimeout().dividedBy(2);
    if (elapsed > timeout.toNanos()) {
      throw new RunProblem(
          End.STUCK,
          actor.spec.name()
              + " neither made a step nor ended for "
              + timeout.toSeconds()
              + " s; its thread is "
              + look.place()
              + (look.waitsElsewhere() ? ELSEWHERE : ""));
    }
  }

  /** An actor that got no connection has not done what it would do. */
  void requireConnections(ActorRun actor) throws RunProblem {
    SQLException why = actor.livingNow().noConnection();
    if (why != null) {
      throw new RunProblem(
          End.POOL, actor.spec.name() + " got no connection: " + why.getMessage() + POOL_SIZE);
    }
  }

  /**
   * H2 retries an insert of a key that another session has inserted, and does not report that wait.
   */
  private boolean mayHideWaits() {
    return !database.reportsWaits() || database.product().equals("H2");
  }

  private static String javaLock(ActorRun actor, ActorRun other, ThreadSnapshot look) {
    return actor.spec.name()
        + " waits for a Java lock ("
        + look.lock()
        + ") that "
        + other.spec.name()
        + " holds, "
        + look.place()
        + ". It protects this code in one JVM only: two instances of the service do not share it";
  }

  private void waits(ActorRun actor, List<Integer> others, boolean presumed) {
    actor.phase = Phase.WAITING;
    actor.waitsFor = others;
    actor.waitsForSome = false;
    actor.waitOrder = ++order;
    ActorRun.Line line = actor.open;
    if (line != null) {
      timeline.waits(line, others, presumed);
    }
  }

  /** Whether one of the waiting actors has stopped waiting; it is running then. */
  boolean free() throws SQLException {
    if (actors.stream().noneMatch(actor -> actor.phase == Phase.WAITING)) {
      return false;
    }
    Map<Long, Set<Long>> waits =
        database.reportsWaits() ? database.waits(sessions(Phase.WAITING)) : Map.of();
    // some databases report a finished wait until the waiter has noticed
    for (int round = 0; round < DOUBTS && isDoubtful(waits); round++) {
      LockSupport.parkNanos(millis(1));
      waits = database.waits(sessions(Phase.WAITING));
    }
    boolean any = false;
    for (ActorRun actor : actors) {
      if (actor.phase == Phase.WAITING && !stillWaits(actor, waits)) {
        resumed(actor);
        any = true;
      }
    }
    return any;
  }

  /** Whether one waits for a session that has ended its transaction. */
  private boolean isDoubtful(Map<Long, Set<Long>> waits) {
    if (database.product().equals("PostgreSQL")) {
      return false;
    }
    for (ActorRun waiter : actors) {
      if (waiter.phase == Phase.WAITING && !waiter.waitsInJava) {
        for (long session : waiter.sessions()) {
          Set<Long> blockers = waits.getOrDefault(session, Set.of());
          if (!blockers.isEmpty() && !heldByAnother(waiter, blockers)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private boolean heldByAnother(ActorRun waiter, Set<Long> blockers) {
    return actors.stream()
        .filter(other -> other != waiter && states.isInTransaction(other.number))
        .anyMatch(other -> other.sessions().stream().anyMatch(blockers::contains));
  }

  private boolean stillWaits(ActorRun actor, Map<Long, Set<Long>> waits) {
    if (actor.waitsInJava) {
      return actors.stream()
          .anyMatch(
              other ->
                  other.life != null
                      && ThreadSnapshot.at(actor.livingNow().thread())
                          .waitsFor(other.livingNow().thread()));
    }
    if (actor.presumedAt >= 0) {
      // whether it resumes is known once another actor has ended a transaction
      return actor.presumedAt == states.endings();
    }
    return actor.sessions().stream().anyMatch(waits::containsKey);
  }

  /** It resumes by itself. */
  void resumed(ActorRun actor) {
    actor.phase = Phase.RUNNING;
    actor.waitsInJava = false;
    actor.presumedAt = -1;
    actor.since = System.nanoTime();
    ActorRun.Line line = actor.open;
    if (line != null) {
      timeline.resumes(line);
    }
  }

  private Set<Long> sessions(Phase phase) {
    Set<Long> sessions = new HashSet<>();
    actors.stream()
        .filter(actor -> actor.phase == phase)
        .forEach(actor -> sessions.addAll(actor.sessions()));
    return sessions;
  }
}
