package dev.holdfast.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a suite has measured: one line per figure, with its spread over the rounds and its aim.
 * Missed aims make the command fail, so that a figure cannot go bad unnoticed.
 */
public final class Results {
  private final PrintStream out;
  private final List<String> lines = new ArrayList<>();
  private final List<String> missed = new ArrayList<>();

  public Results(PrintStream out) {
    this.out = out;
  }

  /** For tables and progress. */
  public PrintStream out() {
    return out;
  }

  /** A ratio without an aim. */
  public void ratio(String name, Turns turns) {
    lines.add("ratio " + name + " " + spread(turns));
  }

  /** A ratio that must not be lower than its aim. */
  public void atLeast(String name, double aim, Turns turns) {
    judge(name, "ratio " + name + " " + spread(turns), "at least", aim, turns.ratio() >= aim);
  }

  /** A single figure that must not be lower than its aim. */
  public void atLeast(String name, double aim, double value) {
    judge(name, line("ratio " + name, value), "at least", aim, value >= aim);
  }

  /** A single figure that must not be higher than its aim. */
  public void atMost(String name, double aim, double value) {
    judge(name, line("value " + name, value), "at most", aim, value <= aim);
  }

  /** A figure in words of its own. */
  public void note(String line) {
    lines.add(line);
  }

  private void judge(String name, String line, String bound, double aim, boolean reached) {
    lines.add(
        String.format(
            Locale.ROOT, "%s, aim %s %.2f%s", line, bound, aim, reached ? "" : ": MISSED"));
    if (!reached) {
      missed.add(name);
    }
  }

  private static String spread(Turns turns) {
    return String.format(
        Locale.ROOT, "%.2f (%.2f-%.2f)", turns.ratio(), turns.lowest(), turns.highest());
  }

  private static String line(String name, double value) {
    return String.format(Locale.ROOT, "%s %.2f", name, value);
  }

  /** Prints all figures; answers whether every aim was reached. */
  boolean print() {
    lines.forEach(out::println);
    if (!missed.isEmpty()) {
      out.println("missed: " + String.join(", ", missed));
    }
    return missed.isEmpty();
  }
}
