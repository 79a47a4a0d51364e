package dev.holdfast.race.internal.report;

import java.util.ArrayList;
import java.util.List;

/** Wraps texts into columns of a fixed width. */
final class Columns {
  private Columns() {}

  /** Broken at blanks if there are any, so that no line is longer; made fit to be shown. */
  static List<String> wrap(String text, int width) {
    List<String> lines = new ArrayList<>();
    String rest = Words.plain(text);
    while (length(rest) > width) {
      int end = rest.offsetByCodePoints(0, width);
      int blank = rest.lastIndexOf(' ', end);
      int cut = blank > end / 2 ? blank : end;
      lines.add(rest.substring(0, cut).stripTrailing());
      rest = rest.substring(cut).stripLeading();
    }
    if (!rest.isEmpty() || lines.isEmpty()) {
      lines.add(rest);
    }
    return lines;
  }

  static String pad(String text, int width) {
    return text + " ".repeat(Math.max(0, width - length(text)));
  }

  static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  /** A paragraph, its first line after {@code head} and the others below it. */
  static String paragraph(String head, String text, int width) {
    String margin = " ".repeat(length(head));
    List<String> lines = wrap(text, width - length(head));
    return head + String.join("\n" + margin, lines) + "\n";
  }

  /** Rows in columns that are as wide as they need to be, up to {@code widest}. */
  static String table(List<List<String>> rows, String margin, int widest) {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], Math.min(widest, length(row.get(i))));
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      List<List<String>> cells = new ArrayList<>();
      int height = 1;
      for (int i = 0; i < columns; i++) {
        cells.add(wrap(row.get(i), widths[i]));
        height = Math.max(height, cells.get(i).size());
      }
      for (int line = 0; line < height; line++) {
        StringBuilder out = new StringBuilder(margin);
        for (int i = 0; i < columns; i++) {
          String cell = line < cells.get(i).size() ? cells.get(i).get(line) : "";
          out.append(pad(cell, widths[i])).append("  ");
        }
        text.append(out.toString().stripTrailing()).append('\n');
      }
    }
    return text.toString();
  }
}
