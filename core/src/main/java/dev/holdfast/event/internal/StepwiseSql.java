package dev.holdfast.event.internal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * How a database wants to be asked that takes several statements for a step.
 *
 * @param byDue what follows the table of events where they are searched by when they are due
 * @param byId what follows it where they are searched by their ids
 * @param delete the beginning of a statement that deletes events by their ids
 * @param limit the end of a query that wants no more rows than its parameter says
 * @param dueOrder the columns of the index by which events are claimed, in its order
 */
record StepwiseSql(String byDue, String byId, String delete, String limit, String dueOrder) {
  /** From 1000 values on, MariaDB joins with the list instead of searching the primary key. */
  private static final int LONGEST_LIST = 500;

  /** As many parameters, with commas between them. */
  static String marks(int count) {
    return String.join(", ", Collections.nCopies(count, "?"));
  }

  /** Ids in ascending order, so that nobody waits in a circle, in lists that are not too long. */
  static List<List<Long>> lists(Collection<Long> ids) {
    List<Long> sorted = ids.stream().sorted().toList();
    List<List<Long>> lists = new ArrayList<>();
    for (int from = 0; from < sorted.size(); from += LONGEST_LIST) {
      lists.add(sorted.subList(from, Math.min(sorted.size(), from + LONGEST_LIST)));
    }
    return lists;
  }
}
