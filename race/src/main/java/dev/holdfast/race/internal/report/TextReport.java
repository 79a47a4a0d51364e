package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.report.Difference.Aspect;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Renders an exploration for a terminal. */
public final class TextReport {
  private static final int WIDTH = 118;
  private static final int WIDEST_VALUE = 36;

  private final Exploration exploration;
  private final StringBuilder text = new StringBuilder();

  private TextReport(Exploration exploration) {
    this.exploration = exploration;
  }

  public static String of(Exploration exploration) {
    TextReport report = new TextReport(exploration);
    Finding finding = exploration.finding();
    if (finding == null) {
      report.addNothing();
    } else {
      report.addFinding(Anomaly.of(exploration, finding), finding);
    }
    report.addRemarks();
    return report.text.toString();
  }

  private void addNothing() {
    text.append(Coverage.nothing(exploration)).append(": ").append(Words.plain(exploration.name()));
    text.append("  (")
        .append(Words.plain(Words.and(exploration.actors())))
        .append("; ")
        .append(place());
    text.append(")\n");
    text.append(Columns.paragraph("  explored    ", Coverage.of(exploration), WIDTH));
  }

  private String place() {
    return Words.plain(exploration.database() + ", " + exploration.isolation());
  }

  private void addFinding(Anomaly anomaly, Finding finding) {
    text.append(anomaly.title()).append("  ").append(Words.plain(exploration.name()));
    text.append("  (").append(place()).append(")\n");
    text.append(Columns.paragraph("", CauseText.headline(anomaly), WIDTH)).append('\n');
    text.append(new TextTimeline(finding.actors(), WIDTH).draw(Timeline.of(anomaly))).append('\n');
    add("source", sources(finding));
    addDifference(finding);
    add("cause", CauseText.of(anomaly));
    addFixes(anomaly);
    List<String> levels = Levels.of(anomaly);
    for (int i = 0; i < levels.size(); i++) {
      add(i == 0 ? "isolation" : "", levels.get(i));
    }
    add("replay", Coverage.replay(exploration, finding));
    add("reproduced", Coverage.proof(finding));
    add("explored", Coverage.of(exploration));
  }

  private void add(String head, String said) {
    if (!said.isBlank()) {
      text.append(Columns.paragraph("  " + Columns.pad(head, 12), said, WIDTH));
    }
  }

  /** Each place in the code once, with the numbers of what it has done. */
  private static String sources(Finding finding) {
    Map<String, List<String>> places = new LinkedHashMap<>();
    Places all = new Places(finding.run().entries());
    for (Entry entry : finding.run().entries()) {
      String place = all.of(entry);
      if (place != null && !entry.step().implicit()) {
        places.computeIfAbsent(place, p -> new ArrayList<>()).add("" + entry.number());
      }
    }
    return places.entrySet().stream()
        .limit(20)
        .map(place -> place.getKey() + " (" + String.join(", ", place.getValue()) + ")")
        .collect(Collectors.joining("  "));
  }

  private void addDifference(Finding finding) {
    Difference difference = Difference.of(finding);
    if (difference.aspects().isEmpty()) {
      add("actual", difference.hidden());
      return;
    }
    List<List<String>> rows = new ArrayList<>();
    List<String> head = new ArrayList<>();
    head.add("");
    difference.orders().forEach(order -> head.add("expected: " + order));
    head.add(difference.orders().isEmpty() ? "at the end" : "actual");
    rows.add(head);
    for (Aspect aspect : difference.aspects()) {
      List<String> row = new ArrayList<>();
      row.add(aspect.what());
      row.addAll(aspect.expected());
      row.add(aspect.got());
      rows.add(row);
    }
    int widest = Math.min(WIDEST_VALUE, (WIDTH - 4) / head.size() - 2);
    text.append('\n').append(Columns.table(rows, "    ", widest));
    if (difference.left() > 0) {
      text.append("    … and ").append(difference.left()).append(" more serial orders\n");
    }
    text.append('\n');
  }

  private void addFixes(Anomaly anomaly) {
    int number = 1;
    for (Fix fix : Fixes.of(anomaly)) {
      String head = "  " + Columns.pad(number == 1 ? "fixes" : "", 12) + number + ". ";
      String below = " ".repeat(head.length());
      text.append(Columns.paragraph(head, fix.what(), WIDTH));
      if (!fix.code().isEmpty()) {
        text.append(Columns.paragraph(below, fix.code(), WIDTH));
      }
      if (!fix.guard().isEmpty()) {
        text.append(Columns.paragraph(below + "Holdfast: ", fix.guard(), WIDTH));
      }
      number++;
    }
  }

  private void addRemarks() {
    exploration.warnings().forEach(w -> add("WARNING", Words.plain(w)));
    exploration.notes().forEach(n -> add("note", Words.plain(n)));
  }
}
