package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Gate;
import dev.holdfast.race.internal.model.RunAborted;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Lets every step go at once, unless it is told otherwise, and remembers them. */
final class RecordingGate implements Gate {
  final List<Step> arrived = new ArrayList<>();
  final List<StepResult> results = new ArrayList<>();
  final List<Connection> opened = new ArrayList<>();
  final List<Integer> closed = new ArrayList<>();
  private final Map<Integer, Ticket> tickets = new HashMap<>();
  private final Map<Integer, Runnable> before = new HashMap<>();
  private int cutAt = Integer.MAX_VALUE;
  private boolean over;
  private int transactions;

  /** What happens to a step, counted from 1. */
  void fate(int step, Fate fate) {
    tickets.put(step, new Ticket(fate, null));
  }

  void inject(int step, SQLException error) {
    tickets.put(step, new Ticket(Fate.GO, error));
  }

  void before(int step, Runnable action) {
    before.put(step, action);
  }

  /** The run is over when this step would have been made. */
  void cutAt(int step) {
    cutAt = step;
  }

  /** The steps, each as {@code kind text [values] -> what came of it}. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < arrived.size(); i++) {
      Step step = arrived.get(i);
      String text = step.text() + (step.params().isEmpty() ? "" : " " + step.params());
      String learned = i < results.size() ? results.get(i).learned() : "never";
      lines.add(
          step.transaction()
              + (step.implicit() ? " implicit " : " ")
              + step.kind()
              + (text.equals(step.kind().name()) ? "" : " " + text)
              + (learned.isEmpty() ? "" : " -> " + learned));
    }
    return lines;
  }

  @Override
  public Ticket arrive(Step step) {
    check();
    arrived.add(step);
    int number = arrived.size();
    if (number >= cutAt) {
      over = true;
    }
    check();
    before.getOrDefault(number, () -> {}).run();
    Ticket ticket = tickets.getOrDefault(number, Ticket.GO);
    over = ticket.fate().dies();
    return ticket;
  }

  @Override
  public void done(Step step, StepResult result) {
    results.add(result);
  }

  @Override
  public void opened(int number, long session, Connection raw) {
    opened.add(raw);
  }

  @Override
  public void closed(int number) {
    closed.add(number);
  }

  @Override
  public void check() {
    if (over) {
      throw new RunAborted("over");
    }
  }

  @Override
  public boolean isOver() {
    return over;
  }

  @Override
  public int nextConnection() {
    return opened.size() + 1;
  }

  @Override
  public int nextTransaction() {
    return ++transactions;
  }

  @Override
  public void levelChosen() {}
}
