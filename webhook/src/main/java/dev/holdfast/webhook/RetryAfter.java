package dev.holdfast.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.apache.hc.client5.http.utils.DateUtils;
import org.jspecify.annotations.Nullable;

/** How long a target asks to be left alone: the header {@code Retry-After}, seconds or a date. */
final class RetryAfter {
  private static final int MAX_DIGITS = 10;

  private RetryAfter() {}

  /**
   * Reads the header; nothing if it is neither seconds nor a date.
   *
   * @param date the header {@code Date} of the answer, with which a date is compared where it is
   *     there: both are by the target's clock, so ours need not agree with it
   */
  static Optional<Duration> read(
      @Nullable String value, @Nullable String date, Instant now, Duration cap) {
    if (value == null) {
      return Optional.empty();
    }
    String text = value.strip();
    if (!text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return Optional.of(
          text.length() > MAX_DIGITS ? cap : least(Duration.ofSeconds(Long.parseLong(text)), cap));
    }
    Instant until = DateUtils.parseStandardDate(text);
    if (until == null) {
      return Optional.empty();
    }
    Instant theirs = date == null ? null : DateUtils.parseStandardDate(date);
    Duration wait = Duration.between(theirs == null ? now : theirs, until);
    return Optional.of(wait.isNegative() ? Duration.ZERO : least(wait, cap));
  }

  private static Duration least(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }
}
