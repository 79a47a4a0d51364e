package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds actors that failed because one of their writes changed nothing: {@code update … where
 * version = ?}. No serial order ends with such a conflict, but it is a correct result.
 */
final class GuardRejections {
  private static final Pattern COMMENTS = Pattern.compile("(?s)/\\*.*?\\*/|--[^\\n]*");

  /** A write, also in a {@code WITH}, and its table. */
  private static final Pattern WRITE =
      Pattern.compile(
          "(?is)\\s*(?:with\\b.*?[()]\\s*)?"
              + "(?:insert\\s+into|update|delete\\s+from|merge\\s+into)\\s+([^\\s(]+).*");

  private GuardRejections() {}

  /**
   * Whether the last statement of this actor, which threw, was a write that changed no row; it may
   * have looked into the same table after it, to say why.
   */
  static boolean refused(int actor, RunRecord run) {
    Entry write = null;
    Entry look = null;
    for (Entry entry : run.entries()) {
      if (entry.actor() == actor && !entry.step().endsTransaction()) {
        if (entry.step().plainRead() && look == null && write != null) {
          look = entry;
        } else {
          write = entry;
          look = null;
        }
      }
    }
    String table = write == null ? null : guardedTable(write);
    return table != null && (look == null || mentions(look, table));
  }

  /** The table of a write that has changed no row; null if it is none. */
  private static @Nullable String guardedTable(Entry entry) {
    StepKind kind = entry.step().kind();
    if ((kind != StepKind.STATEMENT && kind != StepKind.BATCH) || !missed(entry.result())) {
      return null;
    }
    Matcher write = WRITE.matcher(withoutComments(entry));
    return write.matches() ? write.group(1) : null;
  }

  private static boolean missed(StepResult result) {
    return result.error() == null
        && (result.leastUpdated() == 0 || (result.isQuery() && result.rowCount() == 0));
  }

  private static boolean mentions(Entry look, String table) {
    return withoutComments(look).toLowerCase(Locale.ROOT).contains(table.toLowerCase(Locale.ROOT));
  }

  private static String withoutComments(Entry entry) {
    return COMMENTS.matcher(entry.step().text()).replaceAll(" ");
  }
}
