package dev.holdfast.race.internal.run;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Normalizes texts, so that those of two equal runs are equal: ids that the database has made,
 * UUIDs and times are named by the actor that saw them first and how many it saw before.
 */
final class NormalizedTexts {
  private static final Pattern VARYING =
      Pattern.compile(
          "\\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\\b"
              + "|\\b\\d{4}-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?"
              + "(?:Z|[+-]\\d\\d(?::?\\d\\d)?)?"
              + "|\\b\\d{10}\\b");

  private final LongPredicate generated;

  /** A time of another day is no time of this run, but data. */
  private final Set<String> days;

  private final Map<String, String> names = new HashMap<>();
  private final Map<Integer, Integer> counts = new HashMap<>();

  NormalizedTexts(LongPredicate generated) {
    this.generated = generated;
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    this.days =
        Set.of(today.minusDays(1).toString(), today.toString(), today.plusDays(1).toString());
  }

  String of(int actor, String text) {
    Matcher varying = VARYING.matcher(text);
    if (!varying.find()) {
      return text;
    }
    StringBuilder normal = new StringBuilder();
    do {
      varying.appendReplacement(normal, Matcher.quoteReplacement(name(actor, varying.group())));
    } while (varying.find());
    return varying.appendTail(normal).toString();
  }

  private String name(int actor, String found) {
    if (found.length() == 10 && !generated.test(Long.parseLong(found))) {
      return found;
    }
    if (found.length() > 10 && found.charAt(4) == '-') {
      return days.contains(found.substring(0, 10)) ? "<time>" : found;
    }
    return names.computeIfAbsent(
        found, value -> "<" + actor + "#" + counts.merge(actor, 1, Integer::sum) + ">");
  }
}
