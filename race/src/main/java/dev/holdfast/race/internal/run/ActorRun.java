package dev.holdfast.race.internal.run;

import dev.holdfast.race.internal.model.ActorEnd;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Gate;
import dev.holdfast.race.internal.model.RunAborted;
import dev.holdfast.race.internal.model.Step;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where an actor is in a run. Used by the thread of the run alone. */
final class ActorRun {
  /** What it is about. */
  enum Phase {
    /** It has not begun, or will begin again after a crash. */
    NEW,
    /** It runs until its next step or its end. */
    RUNNING,
    AT_GATE,
    /** The database, or a Java lock, lets it wait for another. */
    WAITING,
    ENDED
  }

  final int number;
  final ActorSpec spec;
  Phase phase = Phase.NEW;
  @Nullable Life life;
  int lives;
  int steps;
  boolean crashed;

  /** What it is to do with the step that it comes to first. */
  Gate.@Nullable Ticket firstTicket;

  @Nullable Step pending;

  /** Its last step, as long as what came of it is not written down. */
  @Nullable Line open;

  /** Since when it is on its way. */
  long since;

  List<Integer> waitsFor = List.of();

  /** Whether it is known only that it waits for one of these, or several. */
  boolean waitsForSome;

  boolean waitsInJava;

  /** If it is only presumed that it waits: how many transactions had ended by then; else -1. */
  int presumedAt = -1;

  int waitOrder;

  /** The last step that failed in the database, in this life; -1 for none. */
  int lastFailure = -1;

  final PollingDetector polling = new PollingDetector();

  ActorRun(int number, ActorSpec spec) {
    this.number = number;
    this.spec = spec;
  }

  Life livingNow() {
    Life now = life;
    if (now == null) {
      throw new IllegalStateException(spec.name() + " has not begun");
    }
    return now;
  }

  boolean canGo() {
    return phase == Phase.NEW || phase == Phase.AT_GATE;
  }

  Set<Long> sessions() {
    Life now = life;
    return now == null ? Set.of() : now.sessions();
  }

  /** Whether its next step may be cut off. */
  boolean mayCrash() {
    return spec.crashes() && !crashed && canGo();
  }

  /** Whether its next step needs a connection, which can be lost: a point or an effect does not. */
  boolean mayLose() {
    Step next = pending;
    return mayCrash() && (next == null || !next.isElsewhere());
  }

  /** What of this the future depends on. */
  String state() {
    return phase == Phase.WAITING
        ? lives + "W" + waitOrder
        : lives + phase.name() + (crashed ? "!" : "");
  }

  /** How it has ended, if it has. */
  ActorEnd end() {
    Life lived = life;
    Throwable thrown = lived == null ? null : lived.thrown();
    Object returned = lived == null ? null : lived.returned();
    return new ActorEnd(
        ResultValue.cell(returned, spec.compared()),
        thrown instanceof RunAborted ? null : thrown,
        thrown == null ? -1 : lastFailure);
  }

  /** A line of the timeline in the making. */
  static final class Line {
    final int number;
    final int actor;
    final int index;
    final int life;
    final Step step;
    final Fate fate;
    dev.holdfast.race.internal.model.@Nullable StepResult result;
    List<Integer> waitedFor = List.of();
    int resumedBefore;
    boolean presumed;

    Line(int number, ActorRun actor, Step step, Fate fate) {
      this.number = number;
      this.actor = actor.number;
      this.index = actor.steps;
      this.life = actor.lives;
      this.step = step;
      this.fate = fate;
    }
  }
}
