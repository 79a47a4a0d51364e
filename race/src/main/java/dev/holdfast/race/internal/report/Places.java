package dev.holdfast.race.internal.report;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where in the code the entries of a run come from. A line that makes several different statements
 * is that of a helper, and is shown with the line that has called it: {@code GiftCards.java:20 ›
 * Sql.java:7}.
 */
final class Places {
  /** A number that was written into a statement does not make it another one. */
  private static final String NUMBERS = "\\b\\d+\\b";

  private final Map<String, Set<String>> statements = new HashMap<>();
  private final Set<String> helpers = new HashSet<>();

  Places(List<Entry> entries) {
    for (Entry entry : entries) {
      for (String line : isStatement(entry) ? lines(entry) : List.<String>of()) {
        statements
            .computeIfAbsent(line, l -> new HashSet<>())
            .add(entry.step().text().replaceAll(NUMBERS, "?"));
      }
    }
    for (Entry entry : entries) {
      List<String> lines = lines(entry);
      if (isStatement(entry) && !lines.isEmpty() && count(lines.get(0)) > 1) {
        helpers.add(file(lines.get(0)));
      }
    }
  }

  /** Where it comes from; null if that is not known. */
  @Nullable String of(Entry entry) {
    List<String> lines = lines(entry);
    if (lines.isEmpty()) {
      return null;
    }
    String line = lines.get(0);
    String caller = isStatement(entry) ? caller(lines) : null;
    if (caller == null) {
      return line;
    }
    boolean sameFile = file(caller).equals(file(line));
    return caller + " › " + (sameFile ? line.substring(file(line).length() + 1) : line);
  }

  private @Nullable String caller(List<String> lines) {
    String line = lines.get(0);
    if (count(line) > 1) {
      return lines.stream()
          .skip(1)
          .filter(l -> count(l) == 1)
          .findFirst()
          .or(() -> lines.stream().skip(1).filter(l -> count(l) < count(line)).findFirst())
          .orElse(null);
    }
    boolean helper = helpers.contains(file(line));
    return helper && lines.size() > 1 && !file(lines.get(1)).equals(file(line))
        ? lines.get(1)
        : null;
  }

  private int count(String line) {
    return statements.getOrDefault(line, Set.of()).size();
  }

  private static boolean isStatement(Entry entry) {
    return entry.step().kind() == StepKind.STATEMENT || entry.step().kind() == StepKind.BATCH;
  }

  private static String file(String line) {
    return line.substring(0, Math.max(0, line.lastIndexOf(':')));
  }

  private static List<String> lines(Entry entry) {
    String source = entry.step().source();
    return source == null ? List.of() : List.of(Words.plain(source).split(Step.CALLED_BY, -1));
  }
}
