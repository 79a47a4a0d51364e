package dev.holdfast.server.remote;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Rows under their headings, as wide as they need to be. */
final class Table {
  private static final int WIDEST = 70;
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();

  Table(String... headings) {
    rows.add(List.of(headings));
  }

  Table row(Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      row.add(shown(cell));
    }
    rows.add(row);
    return this;
  }

  void print(PrintStream out) {
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.size(); column++) {
        String cell = row.get(column);
        line.append(cell).append(" ".repeat(width(column) - length(cell))).append(GAP);
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private int width(int column) {
    return rows.stream().mapToInt(row -> length(row.get(column))).max().orElse(0);
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** On one line, without what a terminal would obey. */
  private static String shown(Object cell) {
    String text =
        cell instanceof JsonNode node
            ? (node.isMissingNode() || node.isNull() ? "" : node.asString(node.toString()))
            : cell.toString();
    String clean = clean(text);
    return clean.length() <= WIDEST ? clean : clean.substring(0, WIDEST - 1) + "…";
  }

  static String clean(String text) {
    return text.replaceAll("[\\p{Cntrl}\\p{Cf}]+", " ");
  }
}
