package dev.holdfast.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hc.client5.http.utils.DateUtils;
import org.jspecify.annotations.Nullable;

/** The header {@code Retry-After}: seconds or a date. */
final class RetryAfter {
  private static final int MAX_DIGITS = 10;

  private RetryAfter() {}

  /**
   * Parses the header; empty if it is neither seconds nor a date.
   *
   * @param date the header {@code Date} of the response; both dates are by the clock of the target,
   *     which may differ from the clock of this machine
   */
  static Optional<Duration> parse(
      @Nullable String value, @Nullable String date, Instant now, Duration max) {
    if (value == null) {
      return Optional.empty();
    }
    String text = value.strip();
    if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return Optional.of(
          text.length() > MAX_DIGITS ? max : min(Duration.ofSeconds(Long.parseLong(text)), max));
    }
    Instant until = DateUtils.parseStandardDate(text);
    if (until == null) {
      return Optional.empty();
    }
    Instant targetNow = date == null ? null : DateUtils.parseStandardDate(date);
    Duration wait = Duration.between(targetNow == null ? now : targetNow, until);
    return Optional.of(wait.isNegative() ? Duration.ZERO : min(wait, max));
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
