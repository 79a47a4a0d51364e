package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.database.Table.Column;
import dev.holdfast.race.internal.database.Table.Reference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A catalogue that is being read. Tables are known by a key of the reader's choice; what is said of
 * an unknown key is ignored.
 */
final class CatalogueDraft {
  private record Key(String child, String parent, boolean cascades) {}

  private final Map<String, Table> tables = new LinkedHashMap<>();
  private final Map<String, Set<String>> names = new HashMap<>();
  private final Set<Key> references = new LinkedHashSet<>();
  private final Map<String, List<String>> triggers = new LinkedHashMap<>();
  private final Set<String> views = new HashSet<>();
  private final Set<String> functions = new HashSet<>();

  void table(String key, String name, String title, String quoted, String source) {
    tables.put(key, new Table(title, quoted, source, new ArrayList<>()));
    alias(name, key);
  }

  boolean hasTitle(String title) {
    return tables.values().stream().anyMatch(table -> table.title().equals(title));
  }

  /** A further name of a table, such as that of its partition. */
  void alias(String name, String key) {
    names.computeIfAbsent(lower(name), n -> new LinkedHashSet<>()).add(key);
  }

  void column(String key, Column column) {
    Table table = tables.get(key);
    if (table != null) {
      table.columns().add(column);
    }
  }

  void reference(String child, String parent, boolean cascades) {
    references.add(new Key(child, parent, cascades));
  }

  void trigger(String key, String quoted) {
    triggers.computeIfAbsent(key, t -> new ArrayList<>()).add(quoted);
  }

  void view(String name) {
    views.add(lower(name));
  }

  void function(String name) {
    functions.add(lower(name));
  }

  Catalogue finish(boolean complete) {
    tables.values().removeIf(table -> table.columns().isEmpty());
    tables.replaceAll((key, table) -> table.finished());
    Map<String, Set<Table>> known = new HashMap<>();
    names.forEach(
        (name, keys) -> {
          Set<Table> named = new LinkedHashSet<>();
          tables.forEach(
              (key, table) -> {
                if (keys.contains(key)) {
                  named.add(table);
                }
              });
          if (!named.isEmpty()) {
            known.put(name, named);
          }
        });
    Map<Table, List<String>> triggered = new LinkedHashMap<>();
    tables.forEach(
        (key, table) -> {
          List<String> own = triggers.get(key);
          if (own != null) {
            triggered.put(table, own);
          }
        });
    return new Catalogue(
        List.copyOf(tables.values()), known, references(), triggered, views, functions, complete);
  }

  private List<Reference> references() {
    List<Reference> found = new ArrayList<>();
    for (Key key : references) {
      Table child = tables.get(key.child());
      Table parent = tables.get(key.parent());
      if (child != null && parent != null) {
        found.add(new Reference(child, parent, key.cascades()));
      }
    }
    return found;
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
