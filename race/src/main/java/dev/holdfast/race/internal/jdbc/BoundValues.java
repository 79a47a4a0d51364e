package dev.holdfast.race.internal.jdbc;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the code has bound to a statement, and what it has put into a batch. */
final class BoundValues {
  /** By place first, in its order, and then by name. */
  private final Map<Integer, String> byPlace = new TreeMap<>();

  private final Map<String, String> byName = new TreeMap<>();
  private final List<String> batched = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private int entries;

  void bind(Object parameter, @Nullable Object value) {
    if (parameter instanceof Integer place) {
      byPlace.put(place, Literals.of(value));
    } else {
      byName.put(String.valueOf(parameter), Literals.of(value));
    }
  }

  void clear() {
    byPlace.clear();
    byName.clear();
  }

  /** One more entry of a batch, with the values that are bound now. */
  void addEntry() {
    batched.addAll(now());
    entries++;
  }

  /** One more entry of a batch of texts. */
  void addEntry(String sql) {
    texts.add(sql);
    entries++;
  }

  void clearBatch() {
    batched.clear();
    texts.clear();
    entries = 0;
  }

  /** The values that are bound now. */
  List<String> now() {
    List<String> values = new ArrayList<>(byPlace.values());
    values.addAll(byName.values());
    return values;
  }

  /** The values of the batch, one entry after the other. */
  List<String> ofBatch() {
    return List.copyOf(batched);
  }

  /** The texts of the batch, as one. */
  String batchText() {
    return String.join("; ", texts);
  }

  boolean isBatchEmpty() {
    return entries == 0;
  }
}
