package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Reference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * An order of tables in which each comes after those it refers to.
 *
 * @param cyclic whether there is no such order: if tables refer to each other, or to themselves
 */
record TableOrder(List<Table> tables, boolean cyclic) {

  static TableOrder of(Collection<Table> tables, List<Reference> references) {
    List<Table> open = new ArrayList<>(tables);
    List<Table> ordered = new ArrayList<>();
    boolean cyclic = false;
    while (!open.isEmpty()) {
      List<Table> free = open.stream().filter(table -> isFree(table, open, references)).toList();
      cyclic |= free.isEmpty();
      List<Table> next = free.isEmpty() ? List.of(open.get(0)) : free;
      ordered.addAll(next);
      open.removeAll(next);
    }
    return new TableOrder(ordered, cyclic);
  }

  private static boolean isFree(Table table, List<Table> open, List<Reference> references) {
    return references.stream()
        .noneMatch(
            reference -> reference.child().equals(table) && open.contains(reference.parent()));
  }
}
