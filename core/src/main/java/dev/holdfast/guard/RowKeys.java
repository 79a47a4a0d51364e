package dev.holdfast.guard;

import dev.holdfast.internal.Require;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/** The keys of rows of one table, each once, in the order they were given. Immutable. */
final class RowKeys {
  /** So many fit into one statement on every database, and are still searched by the index. */
  private static final int MAX = 10_000;

  private static final int MAX_SHOWN = 10;

  private final Map<String, Object> byText;
  private final List<Object> values;

  private RowKeys(Map<String, Object> byText) {
    this.byText = Collections.unmodifiableMap(byText);
    this.values = List.copyOf(byText.values());
  }

  static RowKeys of(String table, Collection<?> keys) {
    Require.notNull(keys, "the keys of rows of '" + table + "'");
    Map<String, Object> byText = new LinkedHashMap<>();
    Object first = null;
    for (Object given : keys) {
      Object key = Require.notNull(given, "a key of a row of '" + table + "'");
      first = first == null ? key : first;
      requireOneKind(table, first, key);
      byText.putIfAbsent(text(key), key);
    }
    Require.that(
        byText.size() <= MAX,
        () ->
            "at most "
                + MAX
                + " rows of '"
                + table
                + "' can be locked at once, were "
                + byText.size());
    return new RowKeys(byText);
  }

  /** These and further keys of the same table. */
  RowKeys and(String table, RowKeys further) {
    List<Object> all = new ArrayList<>(values());
    all.addAll(further.values());
    return of(table, all);
  }

  /** Those for whose text and value the test holds. */
  RowKeys only(BiPredicate<String, Object> test) {
    Map<String, Object> fewer = new LinkedHashMap<>();
    byText.forEach(
        (text, key) -> {
          if (test.test(text, key)) {
            fewer.put(text, key);
          }
        });
    return fewer.size() == byText.size() ? this : new RowKeys(fewer);
  }

  /** The first of them, for messages. */
  @Override
  public String toString() {
    List<String> some = byText.keySet().stream().limit(MAX_SHOWN).toList();
    return some.size() == values.size()
        ? some.toString()
        : some + " and " + (values.size() - some.size()) + " more";
  }

  boolean isEmpty() {
    return values.isEmpty();
  }

  boolean areNumbers() {
    return !values.isEmpty() && first() instanceof Number;
  }

  Object first() {
    return values.get(0);
  }

  /** The keys as they were given. */
  List<Object> values() {
    return values;
  }

  /** The keys as they were given, by their {@link #text}. */
  Map<String, Object> byText() {
    return byText;
  }

  /**
   * The same text for what is the same key to Java: 7, 7L and 7.0; a UUID and its text. Keys of
   * different texts may still be the same to the database, where its collation ignores case.
   */
  static String text(Object key) {
    if (key instanceof Long || key instanceof Integer || key instanceof Short) {
      return key.toString();
    }
    if (key instanceof Number) {
      return new BigDecimal(key.toString()).stripTrailingZeros().toPlainString();
    }
    return key instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : key.toString();
  }

  private static void requireOneKind(String table, Object first, Object key) {
    Require.that(
        !(key instanceof Double || key instanceof Float),
        () -> "a key of a row of '" + table + "' must not be a floating-point number, was " + key);
    Require.that(
        kind(key) == kind(first),
        () ->
            "the keys of rows of '"
                + table
                + "' must be of one type, were "
                + kind(first).getSimpleName()
                + " and "
                + kind(key).getSimpleName());
  }

  private static Class<?> kind(Object key) {
    return key instanceof Number ? Number.class : key.getClass();
  }
}
