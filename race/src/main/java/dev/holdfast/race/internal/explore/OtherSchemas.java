package dev.holdfast.race.internal.explore;

import dev.holdfast.race.internal.database.Database;
import dev.holdfast.race.internal.model.Entry;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tables that statements name with a schema which is not that of the connection. */
final class OtherSchemas {
  private static final Pattern QUALIFIED =
      Pattern.compile(
          "(?i)\\b(?:from|join|into|update)\\s+[\"`]?([\\w$]+)[\"`]?\\s*\\.\\s*[\"`]?([\\w$]+)");

  private OtherSchemas() {}

  static Set<String> of(List<Entry> entries, Database database) throws SQLException {
    Set<String> named = new TreeSet<>();
    for (Entry entry : entries) {
      Matcher qualified = QUALIFIED.matcher(entry.step().text());
      while (qualified.find()) {
        named.add(qualified.group(1) + "." + qualified.group(2));
      }
    }
    if (!named.isEmpty()) {
      Set<String> others = database.otherSchemas();
      named.removeIf(
          table ->
              !others.contains(table.substring(0, table.indexOf('.')).toLowerCase(Locale.ROOT)));
    }
    return named;
  }
}
