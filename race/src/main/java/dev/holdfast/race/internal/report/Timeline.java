package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.report.Line.Bar;
import dev.holdfast.race.internal.report.Line.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Lays a run out as lines: its entries, where they resumed after a wait, where lives begin. */
final class Timeline {
  private static final int MAX_LINES = 120;

  private final Finding finding;
  private final Anomaly anomaly;
  private final EntryText said;
  private final List<Entry> entries;
  private final List<Line> lines = new ArrayList<>();
  private final List<Set<Integer>> open = new ArrayList<>();
  private final Set<Integer> secondLives = new HashSet<>();
  private final Set<Integer> resumed = new HashSet<>();

  private Timeline(Anomaly anomaly) {
    this.anomaly = anomaly;
    this.finding = anomaly.finding();
    this.said = new EntryText(finding);
    this.entries = finding.run().entries();
    finding.actors().forEach(actor -> open.add(new HashSet<>()));
  }

  static List<Line> of(Anomaly anomaly) {
    Timeline timeline = new Timeline(anomaly);
    timeline.lay();
    return timeline.shortened();
  }

  private void lay() {
    int i = 0;
    while (i < entries.size()) {
      Entry entry = entries.get(i);
      addResumed(entry.number());
      if (entry.life() > 1 && secondLives.add(entry.actor())) {
        addMark(Kind.SECOND_LIFE, entry, "run again, with the same input");
      }
      boolean whole = i + 1 < entries.size() && commitsItself(entry, entries.get(i + 1));
      addEntry(entry, whole);
      i += whole ? 2 : 1;
    }
    addResumed(Integer.MAX_VALUE);
  }

  private void addResumed(int before) {
    for (Entry entry : entries) {
      int at = entry.resumedBefore();
      if (at > 0 && at <= before && entry.number() < before && resumed.add(entry.number())) {
        lines.add(
            new Line(
                Kind.RESUMED,
                String.valueOf(entry.number()),
                entry,
                "",
                said.result(entry),
                "",
                said.trouble(entry),
                "",
                bars(entry, Bar.OPEN)));
      }
    }
  }

  /** Whether an entry is followed at once by the commit of autocommit mode, and nothing else. */
  private boolean commitsItself(Entry entry, Entry next) {
    return (entry.step().kind() == StepKind.STATEMENT || entry.step().kind() == StepKind.BATCH)
        && next.step().kind() == StepKind.COMMIT
        && next.step().implicit()
        && next.actor() == entry.actor()
        && next.step().transaction() == entry.step().transaction()
        && entry.waitedFor().isEmpty()
        && next.waitedFor().isEmpty()
        && entry.result().error() == null
        && next.result().error() == null
        && !next.fate().before()
        && !next.fate().after()
        && entries.stream().noneMatch(e -> e.resumedBefore() == next.number());
  }

  private void addEntry(Entry entry, boolean whole) {
    boolean waited = !entry.waitedFor().isEmpty();
    String note = anomaly.decisive().getOrDefault(entry.number(), "");
    if (whole) {
      String commit = anomaly.decisive().getOrDefault(entry.number() + 1, "");
      note = note + (note.isEmpty() || commit.isEmpty() ? "" : "; ") + commit;
    }
    lines.add(
        new Line(
            whole ? Kind.AUTOCOMMIT : kind(entry),
            whole ? entry.number() + "–" + (entry.number() + 1) : String.valueOf(entry.number()),
            entry,
            said.text(entry),
            waited ? "" : said.result(entry),
            said.waiting(entry),
            waited ? "" : said.trouble(entry),
            note,
            bars(entry, whole ? Bar.WHOLE : bar(entry))));
  }

  private static Kind kind(Entry entry) {
    return switch (entry.step().kind()) {
      case COMMIT -> Kind.COMMIT;
      case ROLLBACK -> Kind.ROLLBACK;
      case POINT -> Kind.POINT;
      case EFFECT -> Kind.EFFECT;
      default -> Kind.STATEMENT;
    };
  }

  private Bar bar(Entry entry) {
    Set<Integer> mine = open.get(entry.actor());
    int transaction = entry.step().transaction();
    boolean inside = !mine.isEmpty();
    if (entry.fate().before() || entry.fate().after()) {
      mine.clear();
      return inside ? Bar.ENDS : transaction > 0 ? Bar.WHOLE : Bar.NONE;
    }
    if (transaction == 0) {
      return inside ? Bar.OPEN : Bar.NONE;
    }
    if (entry.step().endsTransaction()) {
      mine.remove(transaction);
      return mine.isEmpty() ? Bar.ENDS : Bar.OPEN;
    }
    if (isAlone(entry)) {
      return inside ? Bar.OPEN : Bar.WHOLE;
    }
    mine.add(transaction);
    return inside ? Bar.OPEN : Bar.BEGINS;
  }

  /** Whether a read is a transaction by itself, as in autocommit mode. */
  private boolean isAlone(Entry entry) {
    return entry.step().plainRead()
        && entries.stream()
            .noneMatch(
                other ->
                    other.number() != entry.number()
                        && other.actor() == entry.actor()
                        && other.life() == entry.life()
                        && other.step().transaction() == entry.step().transaction());
  }

  private List<Bar> bars(Entry entry, Bar own) {
    List<Bar> bars = new ArrayList<>();
    for (int actor = 0; actor < open.size(); actor++) {
      boolean inside = !open.get(actor).isEmpty();
      bars.add(actor == entry.actor() ? own : inside ? Bar.OPEN : Bar.NONE);
    }
    return bars;
  }

  private void addMark(Kind kind, Entry entry, String text) {
    lines.add(new Line(kind, "", entry, text, "", "", "", "", bars(entry, Bar.NONE)));
  }

  private List<Line> shortened() {
    int over = lines.size() - MAX_LINES;
    if (over <= 0) {
      return lines;
    }
    List<Line> kept = new ArrayList<>(lines.subList(0, MAX_LINES / 2));
    Entry entry = kept.get(kept.size() - 1).entry();
    String text = "… " + over + " more lines …";
    kept.add(new Line(Kind.GAP, "", entry, text, "", "", "", "", bars(entry, Bar.NONE)));
    kept.addAll(lines.subList(lines.size() - MAX_LINES / 2, lines.size()));
    return kept;
  }
}
