package dev.holdfast.webhook;

import dev.holdfast.internal.Require;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link WebhookSender}.
 *
 * <p><b>Defaults:</b> a guard without an allow-list, the default limits, an excerpt of 2,048
 * characters, 64 KiB of a response are read, a connect timeout of 5 s, 4,096 connections with an
 * idle timeout of 4 s (many servers close idle connections after 5 s, and a call on a closing
 * connection fails), {@code Retry-After} up to 1 day, the JDK's resolver and trusted certificates,
 * and the common pool to complete attempts. Immutable and thread-safe.
 */
public final class SenderOptions {
  private static final SenderOptions DEFAULTS = new SenderOptions(new Values());

  private final Values values;

  private SenderOptions(Values values) {
    this.values = values;
  }

  public static SenderOptions ofDefaults() {
    return DEFAULTS;
  }

  public SenderOptions guard(AddressGuard guard) {
    return with(copy -> copy.guard = guard);
  }

  public SenderOptions limits(WebhookLimits limits) {
    return with(copy -> copy.limits = limits);
  }

  /** Maximum length of the excerpt of a response; from 0 to 65,536. */
  public SenderOptions excerptSize(int characters) {
    Require.between(characters, 0, 65_536, "excerptSize");
    return with(copy -> copy.excerptSize = characters);
  }

  /**
   * Number of bytes of a response that are read, so that its connection can be reused; after a
   * longer response the connection is closed. From 0 to 16 MiB.
   */
  public SenderOptions readLimit(int bytes) {
    Require.between(bytes, 0, 16 * 1024 * 1024, "readLimit");
    return with(copy -> copy.readLimit = bytes);
  }

  /** Timeout for a connection to one address, without TLS; from 10 ms to 1 minute. */
  public SenderOptions connectTimeout(Duration timeout) {
    Require.between(timeout, Duration.ofMillis(10), Duration.ofMinutes(1), "connectTimeout");
    return with(copy -> copy.connectTimeout = timeout);
  }

  /** Maximum number of connections; a call waits if all are in use. */
  public SenderOptions maxConnections(int max) {
    Require.between(max, 1, 100_000, "maxConnections");
    return with(copy -> copy.maxConnections = max);
  }

  /** How long an unused connection is kept; from 100 ms to 10 minutes. */
  public SenderOptions idleTimeout(Duration timeout) {
    Require.between(timeout, Duration.ofMillis(100), Duration.ofMinutes(10), "idleTimeout");
    return with(copy -> copy.idleTimeout = timeout);
  }

  /** Maximum delay that a target may ask for; a longer one is reduced to it. */
  public SenderOptions maxRetryAfter(Duration max) {
    Require.between(max, Duration.ZERO, Duration.ofDays(365), "maxRetryAfter");
    return with(copy -> copy.maxRetryAfter = max);
  }

  public SenderOptions resolver(NameResolver resolver) {
    return with(copy -> copy.resolver = resolver);
  }

  /** Sets the trusted certificates; their host names are always verified. */
  public SenderOptions ssl(SSLContext ssl) {
    return with(copy -> copy.ssl = ssl);
  }

  /** The clock of {@code webhook-timestamp} and of {@link Attempt#startedAt()}. */
  public SenderOptions clock(Clock clock) {
    return with(copy -> copy.clock = clock);
  }

  /** Completes the attempts, so that callbacks do not run on the threads of the sender. */
  public SenderOptions executor(Executor executor) {
    return with(copy -> copy.executor = executor);
  }

  AddressGuard guard() {
    return values.guard;
  }

  WebhookLimits limits() {
    return values.limits;
  }

  int excerptSize() {
    return values.excerptSize;
  }

  int readLimit() {
    return values.readLimit;
  }

  Duration connectTimeout() {
    return values.connectTimeout;
  }

  int maxConnections() {
    return values.maxConnections;
  }

  Duration idleTimeout() {
    return values.idleTimeout;
  }

  Duration maxRetryAfter() {
    return values.maxRetryAfter;
  }

  NameResolver resolver() {
    return values.resolver;
  }

  @Nullable SSLContext ssl() {
    return values.ssl;
  }

  Clock clock() {
    return values.clock;
  }

  Executor executor() {
    return values.executor;
  }

  private SenderOptions with(Consumer<Values> change) {
    Values copy = new Values(values);
    change.accept(copy);
    return new SenderOptions(copy);
  }

  /** Changed only before the options that hold it are published. */
  private static final class Values {
    AddressGuard guard = AddressGuard.ofDefaults();
    WebhookLimits limits = WebhookLimits.ofDefaults();
    int excerptSize = 2048;
    int readLimit = 64 * 1024;
    Duration connectTimeout = Duration.ofSeconds(5);
    int maxConnections = 4096;
    Duration idleTimeout = Duration.ofSeconds(4);
    Duration maxRetryAfter = Duration.ofDays(1);
    NameResolver resolver = NameResolver.system();
    @Nullable SSLContext ssl;
    Clock clock = Clock.systemUTC();
    Executor executor = ForkJoinPool.commonPool();

    Values() {}

    Values(Values other) {
      guard = other.guard;
      limits = other.limits;
      excerptSize = other.excerptSize;
      readLimit = other.readLimit;
      connectTimeout = other.connectTimeout;
      maxConnections = other.maxConnections;
      idleTimeout = other.idleTimeout;
      maxRetryAfter = other.maxRetryAfter;
      resolver = other.resolver;
      ssl = other.ssl;
      clock = other.clock;
      executor = other.executor;
    }
  }
}
