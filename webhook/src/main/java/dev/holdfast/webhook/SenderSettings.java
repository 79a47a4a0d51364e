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
 * How webhooks are sent.
 *
 * <p>Defaults: the guard closed, the standard limits, an excerpt of 2,048 characters, 64 KiB of an
 * answer read before its connection is dropped, 5 s for a connection, 4,096 connections, kept for 4
 * s when idle (many servers close theirs after 5 s, and a call on a closing connection fails),
 * {@code Retry-After} up to 1 day, the JDK's resolver and trusted certificates, and the common pool
 * for what the caller does with an attempt. Immutable and thread-safe.
 */
public final class SenderSettings {
  private static final SenderSettings STANDARD = new SenderSettings(new Values());

  private final Values values;

  private SenderSettings(Values values) {
    this.values = values;
  }

  public static SenderSettings standard() {
    return STANDARD;
  }

  public SenderSettings guard(AddressGuard guard) {
    return with(copy -> copy.guard = guard);
  }

  public SenderSettings limits(WebhookLimits limits) {
    return with(copy -> copy.limits = limits);
  }

  /** How many characters of an answer are kept; from 0 to 65,536. */
  public SenderSettings excerpt(int characters) {
    Require.between(characters, 0, 65_536, "the excerpt");
    return with(copy -> copy.excerpt = characters);
  }

  /**
   * How many bytes of an answer are read so that its connection can be used again; of a longer one
   * the rest is not read and the connection dropped. From 0 to 16 MiB.
   */
  public SenderSettings readLimit(int bytes) {
    Require.between(bytes, 0, 16 * 1024 * 1024, "the limit of an answer");
    return with(copy -> copy.readLimit = bytes);
  }

  /** How long a connection to one address may take, TLS apart; from 10 ms to 1 minute. */
  public SenderSettings connectTimeout(Duration timeout) {
    Require.between(timeout, Duration.ofMillis(10), Duration.ofMinutes(1), "the connect timeout");
    return with(copy -> copy.connectTimeout = timeout);
  }

  /** How many connections there may be in all; a call that finds none free waits for one. */
  public SenderSettings connections(int most) {
    Require.between(most, 1, 100_000, "the connections");
    return with(copy -> copy.connections = most);
  }

  /** How long a connection is kept that nothing uses; from 100 ms to 10 minutes. */
  public SenderSettings idle(Duration longest) {
    Require.between(longest, Duration.ofMillis(100), Duration.ofMinutes(10), "the idle time");
    return with(copy -> copy.idle = longest);
  }

  /** How long a target may ask to be left alone; a longer time is cut to this. */
  public SenderSettings retryAfter(Duration most) {
    Require.between(most, Duration.ZERO, Duration.ofDays(365), "the longest Retry-After");
    return with(copy -> copy.retryAfter = most);
  }

  public SenderSettings resolver(NameResolver resolver) {
    return with(copy -> copy.resolver = resolver);
  }

  /** Whose certificates are trusted; the names in them are verified in any case. */
  public SenderSettings ssl(SSLContext ssl) {
    return with(copy -> copy.ssl = ssl);
  }

  /** The clock of {@code webhook-timestamp} and of {@link Attempt#startedAt()}. */
  public SenderSettings clock(Clock clock) {
    return with(copy -> copy.clock = clock);
  }

  /** Completes the attempts: what the caller has hung on them runs here, not on our threads. */
  public SenderSettings executor(Executor executor) {
    return with(copy -> copy.executor = executor);
  }

  AddressGuard guard() {
    return values.guard;
  }

  WebhookLimits limits() {
    return values.limits;
  }

  int excerpt() {
    return values.excerpt;
  }

  int readLimit() {
    return values.readLimit;
  }

  Duration connectTimeout() {
    return values.connectTimeout;
  }

  int connections() {
    return values.connections;
  }

  Duration idle() {
    return values.idle;
  }

  Duration retryAfter() {
    return values.retryAfter;
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

  private SenderSettings with(Consumer<Values> change) {
    Values copy = new Values(values);
    change.accept(copy);
    return new SenderSettings(copy);
  }

  /** Changed only before it is published by the settings that hold it. */
  private static final class Values {
    AddressGuard guard = AddressGuard.standard();
    WebhookLimits limits = WebhookLimits.standard();
    int excerpt = 2048;
    int readLimit = 64 * 1024;
    Duration connectTimeout = Duration.ofSeconds(5);
    int connections = 4096;
    Duration idle = Duration.ofSeconds(4);
    Duration retryAfter = Duration.ofDays(1);
    NameResolver resolver = NameResolver.system();
    @Nullable SSLContext ssl;
    Clock clock = Clock.systemUTC();
    Executor executor = ForkJoinPool.commonPool();

    Values() {}

    Values(Values other) {
      guard = other.guard;
      limits = other.limits;
      excerpt = other.excerpt;
      readLimit = other.readLimit;
      connectTimeout = other.connectTimeout;
      connections = other.connections;
      idle = other.idle;
      retryAfter = other.retryAfter;
      resolver = other.resolver;
      ssl = other.ssl;
      clock = other.clock;
      executor = other.executor;
    }
  }
}
