package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.run.Setting;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Whether the actors have anything in common. */
final class SharedTables {
  private SharedTables() {}

  static boolean nothing(List<Entry> entries, Setting setting, Database database) {
    int actors = setting.actors().size();
    for (int one = 0; one < actors; one++) {
      for (int other = 0; other < actors; other++) {
        if (one != other) {
          Set<String> common = tables(entries, one, true, database);
          common.retainAll(tables(entries, other, false, database));
          if (!common.isEmpty()) {
            return false;
          }
        }
      }
    }
    return entries.stream().noneMatch(entry -> entry.step().isElsewhere());
  }

  private static Set<String> tables(
      List<Entry> entries, int actor, boolean write, Database database) {
    Set<String> tables = new HashSet<>();
    for (Entry entry : entries) {
      if (entry.actor() == actor && isStatement(entry)) {
        tables.addAll(database.touched(entry.step().text(), write));
        if (write && !entry.step().plainRead()) {
          // a lock is shared as well
          tables.addAll(database.touched(entry.step().text(), false));
        }
      }
    }
    return tables;
  }

  private static boolean isStatement(Entry entry) {
    return entry.step().kind() == StepKind.STATEMENT || entry.step().kind() == StepKind.BATCH;
  }
}
