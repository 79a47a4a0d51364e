package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.jdbc.ActorDataSource;
import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Gate;
import dev.holdfast.race.internal.model.Gate.Ticket;
import dev.holdfast.race.internal.model.Move;
import dev.holdfast.race.internal.model.Outcome.Effect;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.RunRecord.End;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import dev.holdfast.race.internal.run.ActorRun.Line;
import dev.holdfast.race.internal.run.ActorRun.Phase;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * One run of all actors, in the order that a {@link Guide} decides.
 *
 * <ol>
 *   <li>The chosen actor makes its step and runs until its next one, its end, or until another
 *       actor keeps it waiting. In the meantime only actors that this step resumed may run.
 *   <li>Only when all are at a step, wait, or have ended, the guide decides again.
 * </ol>
 */
public final class Run {
  /**
   * Longer than the 1 ms after which PostgreSQL checks, once, whether a waiting session is in a
   * deadlock: otherwise the next one may close the cycle before that, and the victim is random.
   */
  private static final long LOOK_AFTER_MILLIS = 2;

  private static final int DEADLOCK_ROUNDS = 1_500;

  private final Setting setting;
  private final List<Injection> injections;
  private final List<ActorRun> actors = new ArrayList<>();
  private final BlockingQueue<Life.Event> events = new LinkedBlockingQueue<>();
  private final Timeline timeline = new Timeline();
  private final StateKeys states;
  private final WaitDetector waits;
  private final List<Move> moves = new ArrayList<>();
  private final List<Effect> effects = new ArrayList<>();
  private int last = -1;

  private Run(Setting setting, List<Injection> injections) {
    this.setting = setting;
    this.injections = injections;
    for (ActorSpec spec : setting.actors()) {
      actors.add(new ActorRun(actors.size(), spec));
    }
    this.states = new StateKeys(actors.size(), setting.database(), setting.strict().get());
    this.waits = new WaitDetector(setting, actors, timeline, states);
  }

  /** What was made of the run, and how each actor ended if all did. */
  public record Made(RunRecord record, List<ActorEnd> ends, List<Effect> effects) {}

  /** Makes it. The tables must have been reset. */
  public static Made make(Setting setting, Guide guide, List<Injection> injections)
      throws SQLException {
    Run run = new Run(setting, injections);
    setting.current().set(run);
    try {
      return run.go(guide);
    } finally {
      run.finish();
      setting.current().set(null);
    }
  }

  private Made go(Guide guide) throws SQLException {
    End end = End.COMPLETE;
    String problem = null;
    try {
      while (true) {
        settle();
        if (actors.stream().allMatch(actor -> actor.phase == Phase.ENDED)) {
          break;
        }
        Move move = guide.next(Situations.of(actors, last, states));
        if (move == null) {
          end = End.PRUNED;
          break;
        }
        grant(move);
      }
    } catch (RunProblem wrong) {
      end = wrong.end;
      problem = wrong.getMessage();
    }
    RunRecord record =
        new RunRecord(
            List.copyOf(moves), timeline.entries(), end, problem, timeline.deadlocks(), null);
    return new Made(record, actors.stream().map(ActorRun::end).toList(), List.copyOf(effects));
  }

  private void grant(Move move) throws RunProblem {
    if (move.actor() >= actors.size() || !actors.get(move.actor()).canGo()) {
      throw new RunProblem(End.DIVERGED, "actor " + move.actor() + " cannot go now");
    }
    ActorRun actor = actors.get(move.actor());
    moves.add(move);
    last = actor.number;
    if (move.fate() != Fate.GO) {
      actor.crashed = true;
    }
    if (actor.phase == Phase.NEW) {
      begin(actor, new Ticket(move.fate(), null));
    } else {
      let(actor, new Ticket(move.fate(), null));
    }
  }

  private void begin(ActorRun actor, Ticket first) {
    actor.lives++;
    actor.steps = 0;
    actor.lastFailure = -1;
    actor.firstTicket = first;
    ActorSpec spec = actor.spec;
    Life life =
        new Life(
            actor.number, actor.lives, "race " + spec.name(), events, gate -> live(spec, gate));
    actor.life = life;
    actor.phase = Phase.RUNNING;
    actor.since = System.nanoTime();
    life.start();
  }

  private @Nullable Object live(ActorSpec spec, Gate gate) throws Exception {
    return spec.body().run(dataSource(gate));
  }

  private DataSource dataSource(Gate gate) {
    return ActorDataSource.of(
        setting.dataSource(), gate, setting.database(), setting.isolation(), setting.forced());
  }

  /**
   * Where the current thread gets its connections from; null if it is neither an actor's nor
   * started by one, such as a poller of the application. Whether an older thread works for an actor
   * cannot be known.
   */
  public @Nullable DataSource dataSourceOfThisThread() {
    if (!Life.startedThisThread()) {
      setting.otherThreads().add(Thread.currentThread().getName());
      return null;
    }
    Life life = lifeOf(Thread.currentThread());
    return life == null ? null : dataSource(life);
  }

  /** Lets the step go at which the actor is. */
  private void let(ActorRun actor, Ticket ticket) throws RunProblem {
    Step step = actor.pending;
    if (step == null) {
      throw new IllegalStateException(actor.spec.name() + " is at no step");
    }
    if (actor.steps >= setting.maxSteps()) {
      throw new RunProblem(
          End.LIVELOCK,
          actor.spec.name()
              + " has made "
              + actor.steps
              + " steps and does not end; the last one was "
              + step.text());
    }
    Ticket given = ticket.fate() == Fate.GO ? injected(actor, ticket) : ticket;
    states.begins(actor.number, step);
    actor.open = timeline.begin(actor, step, given.fate());
    actors.stream().filter(other -> other != actor).forEach(other -> other.polling.anotherGoes());
    actor.steps++;
    actor.pending = null;
    actor.phase = Phase.RUNNING;
    actor.since = System.nanoTime();
    if (step.kind() == StepKind.EFFECT && !given.fate().before()) {
      effects.add(new Effect(actor.number, step.text()));
    }
    actor.livingNow().grant(given);
  }

  private Ticket injected(ActorRun actor, Ticket otherwise) {
    for (Injection injection : injections) {
      if (injection.actor() == actor.number
          && injection.step() == actor.steps
          && actor.lives == 1) {
        return new Ticket(Fate.GO, injection.error());
      }
    }
    return otherwise;
  }

  /** Goes on until all are at a step, wait, or have ended. */
  private void settle() throws SQLException, RunProblem {
    while (true) {
      acceptArrivals();
      if (actors.stream().noneMatch(actor -> actor.phase == Phase.RUNNING)) {
        absorb();
        if (!passInvisible() && !waits.free() && !awaitDeadlock()) {
          return;
        }
        continue;
      }
      Life.Event event = next(LOOK_AFTER_MILLIS);
      if (event != null) {
        accept(event);
      } else {
        waits.lookAtRunning(this::acceptArrivals);
      }
    }
  }

  private Life.@Nullable Event next(long millis) throws RunProblem {
    try {
      return events.poll(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RunProblem(End.INTERRUPTED, "the race finder was interrupted");
    }
  }

  private void acceptArrivals() {
    for (Life.Event event = events.poll(); event != null; event = events.poll()) {
      accept(event);
    }
  }

  private void accept(Life.Event event) {
    ActorRun actor = actors.get(event.life().actor);
    if (event.life() != actor.life) {
      return;
    }
    if (actor.phase == Phase.WAITING) {
      waits.resumed(actor);
    }
    Step arrived = event.arrived();
    if (arrived == null) {
      actor.phase = Phase.ENDED;
      actor.pending = null;
      return;
    }
    actor.pending = arrived;
    actor.phase = Phase.AT_GATE;
  }

  /** Records the results of the steps; those of resumed steps after the step that resumed them. */
  private void absorb() throws RunProblem {
    List<ActorRun> arrived = new ArrayList<>();
    actors.stream()
        .filter(actor -> actor.phase == Phase.AT_GATE || actor.phase == Phase.ENDED)
        .forEach(arrived::add);
    arrived.sort(Comparator.comparing(actor -> actor.open == null || waited(actor)));
    for (ActorRun actor : arrived) {
      waits.requireConnections(actor);
      Line line = actor.open;
      if (line != null) {
        written(actor, line);
      }
      actor.open = null;
      actor.waitsFor = List.of();
      if (actor.phase == Phase.ENDED) {
        states.dropped(actor.number);
        liveAgain(actor);
      }
    }
    for (ActorRun actor : arrived) {
      Ticket first = actor.firstTicket;
      if (first != null && actor.phase == Phase.AT_GATE) {
        actor.firstTicket = null;
        let(actor, first);
      }
    }
  }

  private static boolean waited(ActorRun actor) {
    Line line = actor.open;
    return line != null && !line.waitedFor.isEmpty();
  }

  private void written(ActorRun actor, Line line) {
    if (actor.livingNow().choosesLevel()) {
      states.beStrict();
      setting.strict().set(true);
    }
    StepResult result = actor.livingNow().result();
    StepResult known = result == null ? StepResult.done() : result;
    line.result = known;
    if (known.error() != null) {
      actor.lastFailure = line.index;
      if (SqlError.of(known.error()) == SqlError.DEADLOCK) {
        timeline.deadlock(actor, actors);
      }
    }
    if (line.step.plainRead() || line.step.endsTransaction() || known.updated() <= 0) {
      actor.polling.heard(states.normal(actor.number, line.step.text() + known.learned()));
    } else {
      actor.polling.changed();
    }
    states.ended(actor.number, line.step, known, !line.waitedFor.isEmpty(), line.fate);
  }

  /** After a crash it is run again, unless it has coped by itself. */
  private static void liveAgain(ActorRun actor) {
    Life life = actor.livingNow();
    RunCleanup.clear(life);
    if (actor.crashed && life.number == 1 && life.thrown() != null) {
      actor.phase = Phase.NEW;
    }
  }

  private boolean passInvisible() throws RunProblem {
    boolean any = false;
    for (ActorRun actor : actors) {
      Step step = actor.pending;
      if (actor.phase == Phase.AT_GATE
          && step != null
          && !actor.mayCrash()
          && states.isInvisible(actor.number, step)) {
        let(actor, Ticket.GO);
        any = true;
      }
    }
    return any || actors.stream().anyMatch(actor -> actor.phase == Phase.RUNNING);
  }

  /** Actors in a cycle of waits are left until the database has aborted one of them. */
  private boolean awaitDeadlock() throws RunProblem, SQLException {
    boolean noneGoes =
        actors.stream().noneMatch(ActorRun::canGo)
            && actors.stream().anyMatch(actor -> actor.phase == Phase.WAITING);
    if (!noneGoes && !WaitCycles.among(actors)) {
      return false;
    }
    for (int round = 0; round < DEADLOCK_ROUNDS; round++) {
      Life.Event event = next(LOOK_AFTER_MILLIS);
      if (event != null) {
        accept(event);
        return true;
      }
      if (waits.free()) {
        return true;
      }
    }
    throw new RunProblem(End.STUCK, "actors wait for each other, and the database does not end it");
  }

  /** The actor of this thread, or the one that currently runs; null if there is none. */
  @Nullable Life lifeOf(Thread thread) {
    ActorRun running = null;
    for (ActorRun actor : actors) {
      Life life = actor.life;
      if (life != null && life.thread() == thread) {
        return life;
      }
      if (actor.phase == Phase.RUNNING) {
        running = actor;
      }
    }
    return running == null ? null : running.life;
  }

  /** A named place of the actor whose thread this is, or of the one that goes at the moment. */
  public void point(StepKind kind, String name) {
    Life life = lifeOf(Thread.currentThread());
    if (life != null) {
      life.point(kind, name);
    }
  }

  private void finish() {
    List<Life> lives = new ArrayList<>();
    for (ActorRun actor : actors) {
      Life life = actor.life;
      if (life != null) {
        life.end();
        lives.add(life);
      }
    }
    RunCleanup.clear(lives);
  }
}
