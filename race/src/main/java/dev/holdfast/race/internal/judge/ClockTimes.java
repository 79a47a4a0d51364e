package dev.holdfast.race.internal.judge;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Distinguishes the times that a run has taken from a clock from those that are data. A time
 * without a zone may be that of this JVM or UTC.
 */
final class ClockTimes {
  private static final String NOW = "‹now›";
  private static final String TODAY = "‹today›";
  private static final Duration NEAR = Duration.ofMinutes(5);

  /** Fine enough that no run takes the same time from a clock as the setup did. */
  private static final Pattern FINE = Pattern.compile(".*\\.\\d{3,}.*");

  private final Clock clock;
  private final List<ZoneId> zones;
  private final Map<String, String> given = new HashMap<>();

  ClockTimes(Clock clock) {
    this.clock = clock;
    this.zones = List.of(ZoneId.systemDefault(), ZoneOffset.UTC, clock.getZone());
  }

  /** A time that the setup has left. It means the same in all runs, however long they take. */
  void given(String text) {
    given.put(text, FINE.matcher(text).matches() ? text : of(text));
  }

  /** What it means: now, today, or just this time. */
  String of(String text) {
    String known = given.get(text);
    if (known != null) {
      return known;
    }
    try {
      return near(text.replace(' ', 'T').replaceFirst("(:.*[+-]\\d\\d)$", "$1:00"), text);
    } catch (DateTimeException notIso) {
      return text;
    }
  }

  private String near(String iso, String otherwise) {
    Instant now = clock.instant();
    if (!iso.contains(":")) {
      LocalDate date = LocalDate.parse(iso);
      return anywhere(z -> date.equals(LocalDate.ofInstant(now, z))) ? TODAY : otherwise;
    }
    if (!iso.contains("T")) {
      LocalTime time = LocalTime.parse(iso.replaceFirst("(Z|[+-][0-9:]+)$", ""));
      return anywhere(z -> near(time, LocalTime.ofInstant(now, z))) ? NOW : otherwise;
    }
    if (iso.matches(".*T.*(Z|[+-][0-9:]+)")) {
      return near(OffsetDateTime.parse(iso).toInstant(), now) ? NOW : otherwise;
    }
    LocalDateTime time = LocalDateTime.parse(iso);
    return anywhere(z -> near(time.atZone(z).toInstant(), now)) ? NOW : otherwise;
  }

  private boolean anywhere(Predicate<ZoneId> test) {
    return zones.stream().anyMatch(test);
  }

  /** Whether a number is the current time in milliseconds. */
  boolean isNow(long epochMillis) {
    return Math.abs(epochMillis - clock.millis()) <= NEAR.toMillis();
  }

  private static boolean near(Instant one, Instant other) {
    return Duration.between(one, other).abs().compareTo(NEAR) <= 0;
  }

  private static boolean near(LocalTime one, LocalTime other) {
    long apart = Duration.between(one, other).abs().toSeconds();
    return Math.min(apart, Duration.ofDays(1).toSeconds() - apart) <= NEAR.toSeconds();
  }
}
