package dev.holdfast.webhook;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.List;

/**
 * How one instance delivers webhooks. Immutable.
 *
 * @param sender how one call is made
 * @param targets limits per target, and when a failing target is not called
 * @param maxTimeout maximum timeout of a call
 * @param concurrency maximum number of calls in flight, of all targets together
 * @param bodyBytes maximum size of all bodies in flight
 * @param queues the queues of the worker, each with this concurrency; {@code *} for all queues,
 *     none if the application sets them
 */
public record DeliveryOptions(
    SenderOptions sender,
    TargetGateOptions targets,
    Duration maxTimeout,
    int concurrency,
    long bodyBytes,
    List<String> queues) {
  /** Maximum number of calls in flight, by default. */
  public static final int DEFAULT_CONCURRENCY = 2000;

  /** The name that stands for all queues. */
  public static final String ALL_QUEUES = "*";

  private static final long MIB = 1024 * 1024;

  public DeliveryOptions {
    Require.notNull(sender, "sender");
    Require.notNull(targets, "targets");
    Require.between(maxTimeout, Duration.ofSeconds(1), Duration.ofHours(1), "maxTimeout");
    Require.between(concurrency, 1, 8000, "the concurrency of webhooks");
    long bytes = bodyBytes;
    Require.that(bytes >= MIB, () -> "bodyBytes must be at least 1 MiB, was " + bytes);
    queues = List.copyOf(queues);
  }

  /** 2,000 calls and 64 MiB of bodies in flight, a timeout of at most 60 s. */
  public static DeliveryOptions ofDefaults() {
    return new DeliveryOptions(
        SenderOptions.ofDefaults(),
        TargetGateOptions.ofDefaults(),
        Duration.ofSeconds(60),
        DEFAULT_CONCURRENCY,
        64 * MIB,
        List.of());
  }
}
