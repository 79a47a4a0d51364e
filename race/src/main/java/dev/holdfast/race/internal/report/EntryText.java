package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import dev.holdfast.race.internal.model.StepResult.RowRead;
import java.util.List;
import java.util.stream.Collectors;

/** The text of an entry in a report. */
final class EntryText {
  private static final int MAX_ROWS = 3;
  private static final int MAX_VALUE_LENGTH = 40;
  private static final int MAX_RESULT_LENGTH = 160;

  private final Finding finding;

  EntryText(Finding finding) {
    this.finding = finding;
  }

  String text(Entry entry) {
    Step step = entry.step();
    return switch (step.kind()) {
      case COMMIT -> step.implicit() ? "(autocommit)" : "COMMIT";
      case ROLLBACK -> step.implicit() ? "(rollback on close)" : "ROLLBACK";
      case POINT, EFFECT -> Words.plain(step.text());
      case BATCH -> batch(step);
      default -> Words.plain(Sql.of(step).bound());
    };
  }

  /** Whether two steps say exactly the same. */
  static boolean sameText(Step one, Step other) {
    return one.kind() == other.kind()
        && one.text().equals(other.text())
        && one.params().equals(other.params());
  }

  private static String batch(Step step) {
    Sql sql = Sql.of(step);
    int each = sql.paramCount();
    int times = each == 0 ? 1 : Math.max(1, step.params().size() / each);
    return Words.plain(sql.bound()) + (times > 1 ? "  (batch of " + times + ")" : "");
  }

  String result(Entry entry) {
    StepResult result = entry.result();
    if (result.error() != null || entry.fate().before()) {
      return "";
    }
    if (result.updated() >= 0) {
      return Words.count(result.updated(), "row");
    }
    if (!result.isQuery()) {
      return "";
    }
    List<RowRead> rows = result.rows();
    if (rows.isEmpty()) {
      return "no row";
    }
    String shown =
        rows.stream().limit(MAX_ROWS).map(EntryText::row).collect(Collectors.joining("; "));
    int more = result.rowCount() - Math.min(MAX_ROWS, rows.size());
    String all = result.rowCount() == 1 ? shown : result.rowCount() + " rows: " + shown;
    return Words.shortened(all, MAX_RESULT_LENGTH) + (more > 0 ? "; …" : "");
  }

  private static String row(RowRead row) {
    if (row.values().isEmpty()) {
      return "1 row";
    }
    if (row.values().size() == 1) {
      return Words.shortened(row.values().get(0), MAX_VALUE_LENGTH);
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < row.values().size() && i < 6; i++) {
      text.append(i == 0 ? "" : ", ");
      text.append(Words.shortened(row.labels().get(i), 30)).append(' ');
      text.append(Words.shortened(row.values().get(i), MAX_VALUE_LENGTH));
    }
    return text.append(row.values().size() > 6 ? ", …" : "").toString();
  }

  String waiting(Entry entry) {
    if (entry.waitedFor().isEmpty()) {
      return "";
    }
    String names = Words.and(entry.waitedFor().stream().map(finding.actors()::get).toList());
    return (entry.presumed() ? "presumably " : "")
        + "waiting for "
        + names
        + (entry.resumedBefore() == 0 ? ", never resumed" : "");
  }

  String trouble(Entry entry) {
    Throwable error = entry.result().error();
    boolean commit = entry.step().kind() == StepKind.COMMIT;
    return switch (entry.fate()) {
      case GO -> error == null ? "" : Failure.brief(error);
      case LOSE_BEFORE -> "connection lost before it was sent";
      case LOSE_AFTER ->
          "connection lost: " + (commit ? "committed" : "done") + ", but the response was lost";
      case DIE_BEFORE -> "process died before it was sent";
      case DIE_AFTER -> "process died right after it";
    };
  }
}
