package dev.holdfast.webhook;

import java.time.Duration;
import java.util.function.Supplier;

/** Refuses bad input, saying what must hold and what it was. */
final class Require {
  private Require() {}

  static void that(boolean holds, Supplier<String> message) {
    if (!holds) {
      throw new InvalidCallException(message.get());
    }
  }

  static int between(int value, int least, int most, String name) {
    that(
        value >= least && value <= most,
        () -> name + " must be from " + least + " to " + most + ", was " + value);
    return value;
  }

  static Duration between(Duration value, Duration least, Duration most, String name) {
    that(
        value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
        () -> name + " must be from " + least + " to " + most + ", was " + value);
    return value;
  }
}
