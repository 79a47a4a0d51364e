package dev.holdfast.internal.event.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * How a database wants to be asked that takes several statements for a step.
 *
 * @param index what follows a table where it is searched by the index that stands for {@code %s}
 * @param byId what follows the table of events where they are searched by their ids
 * @param delete the beginning of a statement that deletes events by their ids
 * @param limit the end of a query that wants no more rows than its parameter says
 * @param inDueOrder puts events {@code e} that are searched by when they are due in this order
 */
record MultiStatementSql(
    String index, String byId, String delete, String limit, String inDueOrder) {
  /** From 1000 values on, MariaDB joins with the list instead of searching the primary key. */
  static final int MAX_LIST_LENGTH = 500;

  String by(String indexName) {
    return index.formatted(indexName);
  }

  /** The beginning of a statement that deletes ended events by their ids. */
  String deleteEnded() {
    return delete.replace("{event}", "{event_history}");
  }

  /** As many parameters, with commas between them. */
  static String marks(int count) {
    return String.join(", ", Collections.nCopies(count, "?"));
  }

  /** Ids in ascending order, so that nobody waits in a circle, in lists that are not too long. */
  static List<List<Long>> lists(Collection<Long> ids) {
    List<Long> sorted = ids.stream().sorted().toList();
    List<List<Long>> lists = new ArrayList<>();
    for (int from = 0; from < sorted.size(); from += MAX_LIST_LENGTH) {
      lists.add(sorted.subList(from, Math.min(sorted.size(), from + MAX_LIST_LENGTH)));
    }
    return lists;
  }
}
