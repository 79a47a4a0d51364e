package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.jdbc.SourceLines;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Gate;
import dev.holdfast.race.internal.model.RunAborted;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One life of an actor: its thread, its connections, and the gate at which they wait. An actor that
 * crashes has two.
 */
final class Life implements Gate {
  /** What a life reports to the scheduler. */
  record Event(Life life, @Nullable Step arrived) {}

  private static final int MAX_CUTS = 100;

  /**
   * Marks the threads of actors, and what they start: those of earlier runs too, as an executor
   * keeps its threads from one run to the next.
   */
  private static final ThreadLocal<Boolean> STARTED_BY_ACTOR = new InheritableThreadLocal<>();

  private static final String OLD_CONNECTION =
      "it used a connection that was taken in an earlier run; it must take one in each, and a pool"
          + " must be behind RaceDataSource.wrap(…), not before it";

  private record Open(long session, Connection raw) {}

  final int actor;
  final int number;
  private final BlockingQueue<Event> events;
  private final BlockingQueue<Ticket> tickets = new LinkedBlockingQueue<>();
  private final Semaphore entrance = new Semaphore(1);
  private final Map<Integer, Open> connections = new ConcurrentHashMap<>();
  private final AtomicInteger connectionNumbers = new AtomicInteger();
  private final AtomicInteger transactionNumbers = new AtomicInteger();
  private final Thread thread;
  private volatile boolean over;
  private volatile boolean choosesLevel;
  private volatile Fate fate = Fate.GO;
  private volatile @Nullable StepResult result;
  private volatile @Nullable Object returned;
  private volatile @Nullable Throwable thrown;
  private volatile @Nullable SQLException noConnection;
  private volatile boolean lingers;
  private final AtomicInteger cuts = new AtomicInteger();

  /** The code of an actor, with the data source in it. */
  interface Code {
    @Nullable Object run(Gate gate) throws Exception;
  }

  Life(int actor, int number, String name, BlockingQueue<Event> events, Code code) {
    this.actor = actor;
    this.number = number;
    this.events = events;
    this.thread = new Thread(() -> live(code), name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Whether the current thread is that of an actor, or was started by one, directly or not. */
  static boolean startedThisThread() {
    return STARTED_BY_ACTOR.get() != null;
  }

  private void live(Code code) {
    STARTED_BY_ACTOR.set(true);
    try {
      returned = code.run(this);
      // code that swallows everything has not coped with its own death
      thrown = over ? new RunAborted("its process has died (by the race finder)") : null;
    } catch (RunAborted cut) {
      thrown = over ? cut : new IllegalStateException(OLD_CONNECTION);
    } catch (Throwable failure) {
      thrown = failure;
    }
    events.add(new Event(this, null));
  }

  @Override
  public Ticket arrive(Step step) {
    check();
    entrance.acquireUninterruptibly();
    try {
      check();
      events.add(new Event(this, step));
      Ticket ticket = take();
      check();
      fate = ticket.fate();
      over = fate == Fate.DIE_BEFORE;
      return ticket;
    } catch (RunAborted cut) {
      entrance.release();
      throw cut;
    }
  }

  /** An interrupt is the code's own business: it is kept for it. */
  private Ticket take() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return tickets.take();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void done(Step step, StepResult made) {
    result = made;
    over |= fate.dies();
    entrance.release();
  }

  /** A step that is not one of the database. */
  void point(StepKind kind, String name) {
    Step step = Step.point(kind, name, SourceLines.caller());
    // there is no connection to be lost here; an actor that begins with it dies instead
    boolean cut = arrive(step).fate() != Fate.GO;
    done(step, StepResult.done());
    if (cut) {
      over = true;
    }
    check();
  }

  /** Lets the step at the gate go. */
  void grant(Ticket ticket) {
    result = null;
    tickets.add(ticket);
  }

  /** What came of the last step; its rows are complete. */
  @Nullable StepResult result() {
    return result;
  }

  @Nullable Object returned() {
    return returned;
  }

  @Nullable Throwable thrown() {
    return thrown;
  }

  Thread thread() {
    return thread;
  }

  Set<Long> sessions() {
    Set<Long> sessions = ConcurrentHashMap.newKeySet();
    connections.values().forEach(open -> sessions.add(open.session));
    return sessions;
  }

  List<Connection> rawConnections() {
    List<Connection> raw = new ArrayList<>();
    new TreeMap<>(connections).values().forEach(open -> raw.add(open.raw));
    return raw;
  }

  /** Nothing that this life does has an effect any more. */
  void end() {
    over = true;
    tickets.add(new Ticket(Fate.GO, null));
  }

  @Override
  public void opened(int connection, long session, Connection raw) {
    connections.put(connection, new Open(session, raw));
  }

  @Override
  public void notOpened(SQLException why) {
    // a pool also refuses interrupted threads; that is a failure of the code
    if (!Thread.currentThread().isInterrupted()) {
      noConnection = why;
    }
  }

  /** Why it got no connection; null if it got all that it wanted. */
  @Nullable SQLException noConnection() {
    return noConnection;
  }

  @Override
  public void closed(int connection) {
    connections.remove(connection);
  }

  @Override
  public void check() {
    if (over) {
      if (cuts.incrementAndGet() > MAX_CUTS) {
        linger();
      }
      throw new RunAborted("this run of the race finder is over");
    }
  }

  @Override
  public boolean isOver() {
    return over;
  }

  /** Code that catches everything and tries again is stopped here, as nothing else ends it. */
  private void linger() {
    lingers = true;
    while (true) {
      LockSupport.park(this);
      // it would not park again otherwise
      Thread.interrupted();
    }
  }

  /** Whether its code does nothing any more. */
  boolean hasEnded() {
    return lingers || !thread.isAlive();
  }

  @Override
  public void levelChosen() {
    choosesLevel = true;
  }

  /** Whether the code has chosen an isolation level that is not known. */
  boolean choosesLevel() {
    return choosesLevel;
  }

  @Override
  public int nextConnection() {
    return connectionNumbers.incrementAndGet();
  }

  @Override
  public int nextTransaction() {
    return transactionNumbers.incrementAndGet();
  }
}
