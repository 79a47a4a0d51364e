package dev.holdfast.webhook;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.List;

/**
 * How webhooks are delivered by one instance. Immutable.
 *
 * @param sender how one call is made
 * @param circuits when a target is left alone, and how many calls it gets at a time
 * @param maxTimeout how long a call may take at most
 * @param concurrency how many calls may be under way at once, of all targets together
 * @param bodyBytes how many bytes of bodies may be under way at once
 * @param queues the queues on which this worker works, each with the concurrency; {@code *} for
 *     every queue, none to leave that to the application
 */
public record DeliverySettings(
    SenderSettings sender,
    CircuitSettings circuits,
    Duration maxTimeout,
    int concurrency,
    long bodyBytes,
    List<String> queues) {
  /** How many calls are under way at once, where nobody says otherwise. */
  public static final int STANDARD_CONCURRENCY = 2000;

  /** Among the queues: each in which something waits. */
  public static final String EVERY_QUEUE = "*";

  private static final long MIB = 1024 * 1024;

  public DeliverySettings {
    Require.notNull(sender, "sender");
    Require.notNull(circuits, "circuits");
    Require.between(maxTimeout, Duration.ofSeconds(1), Duration.ofHours(1), "the longest timeout");
    Require.between(concurrency, 1, 8000, "the concurrency of webhooks");
    long bytes = bodyBytes;
    Require.that(
        bytes >= MIB, () -> "the bodies under way must be at least 1 MiB together, were " + bytes);
    queues = List.copyOf(queues);
  }

  /** 2,000 calls and 64 MiB of bodies at once, 60 s for each at most. */
  public static DeliverySettings standard() {
    return new DeliverySettings(
        SenderSettings.standard(),
        CircuitSettings.standard(),
        Duration.ofSeconds(60),
        STANDARD_CONCURRENCY,
        64 * MIB,
        List.of());
  }
}
