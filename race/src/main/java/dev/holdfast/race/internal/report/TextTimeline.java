package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.report.Line.Bar;
import java.util.ArrayList;
import java.util.List;

/** Draws a timeline for a terminal: one column per actor, a bar along each transaction. */
final class TextTimeline {
  private static final int MAX_STATEMENT = 260;
  private static final String MARGIN = "  ";
  private static final int NUMBER = 6;

  private final List<String> actors;
  private final int width;
  private final StringBuilder text = new StringBuilder();

  TextTimeline(List<String> actors, int width) {
    this.actors = actors;
    this.width = Math.max(24, (width - NUMBER - MARGIN.length()) / actors.size() - 3);
  }

  String draw(List<Line> lines) {
    StringBuilder head = new StringBuilder(MARGIN).append(Columns.pad("#", NUMBER));
    StringBuilder rule = new StringBuilder(MARGIN).append(" ".repeat(NUMBER));
    for (String actor : actors) {
      head.append(Columns.pad(Words.shortened(actor, width), width + 3));
      rule.append("─".repeat(width)).append("   ");
    }
    text.append(head.toString().stripTrailing()).append('\n');
    text.append(rule.toString().stripTrailing()).append('\n');
    lines.forEach(this::add);
    return text.toString();
  }

  private void add(Line line) {
    List<String> cell = new ArrayList<>(Columns.wrap(said(line), width - 2));
    addResult(line, cell);
    remarks(line).forEach(remark -> cell.addAll(Columns.wrap(remark, width - 2)));
    for (int row = 0; row < cell.size(); row++) {
      StringBuilder out = new StringBuilder(MARGIN);
      String number = line.kind() == Line.Kind.RESUMED ? "(" + line.number() + ")" : line.number();
      out.append(Columns.pad(row == 0 ? number : "", NUMBER));
      for (int actor = 0; actor < actors.size(); actor++) {
        boolean own = actor == line.actor();
        String bar = bar(line.bars().get(actor), row);
        out.append(Columns.pad(bar + " " + (own ? cell.get(row) : ""), width + 3));
      }
      text.append(out.toString().stripTrailing()).append('\n');
    }
  }

  private static String bar(Bar bar, int row) {
    return switch (bar) {
      case NONE -> " ";
      case OPEN -> "│";
      case BEGINS -> row == 0 ? "┌" : "│";
      case ENDS -> row == 0 ? "└" : " ";
      case WHOLE -> row == 0 ? "─" : " ";
    };
  }

  private static String said(Line line) {
    String text = Words.shortened(line.text(), MAX_STATEMENT);
    return switch (line.kind()) {
      case POINT -> "• " + text;
      case EFFECT -> "★ " + text;
      case SECOND_LIFE -> "═══ " + text;
      case RESUMED -> "<resumed>";
      default -> text;
    };
  }

  /** Beside the last line of the statement if there is room, below it otherwise. */
  private void addResult(Line line, List<String> cell) {
    String result =
        (line.result().isEmpty() ? "" : "→ " + line.result())
            + (line.kind() == Line.Kind.AUTOCOMMIT ? "  (autocommit)" : "");
    String last = cell.get(cell.size() - 1);
    if (Columns.length(last) + Columns.length(result) + 4 <= width) {
      cell.set(cell.size() - 1, (last + "  " + result).stripTrailing());
    } else if (!result.isEmpty()) {
      cell.addAll(Columns.wrap(result.strip(), width - 2));
    }
  }

  private static List<String> remarks(Line line) {
    List<String> all = new ArrayList<>();
    if (!line.waiting().isEmpty()) {
      all.add("<" + line.waiting() + ">");
    }
    if (!line.trouble().isEmpty()) {
      all.add("✗ " + line.trouble());
    }
    if (line.isDecisive()) {
      all.add("◄ " + line.note());
    }
    return all;
  }
}
