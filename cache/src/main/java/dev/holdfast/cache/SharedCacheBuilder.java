package dev.holdfast.cache;

import dev.holdfast.codec.Codec;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How a {@link SharedCache} is to be. What does not fit is refused at once. For one thread. */
public final class SharedCacheBuilder<K, V> {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,100}");
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final Duration YEAR = Duration.ofDays(366);

  private final String name;
  private Function<? super K, String> keys = KeyTexts::of;
  private @Nullable Codec<V> codec;
  private Executor executor = CacheThreads.POOL;
  private LongSupplier clock = System::nanoTime;
  private LongSupplier ticks = CoarseClock.SHARED::now;
  private Duration freshFor = Duration.ofMinutes(5);
  private Duration staleFor = Duration.ZERO;
  private Duration fallbackFor = Duration.ZERO;
  private Duration emptyFor = Duration.ZERO;
  private Duration errorsFor = Duration.ZERO;
  private Duration localFor = Duration.ofSeconds(10);
  private Duration lease = Duration.ofSeconds(5);
  private Duration patience = Duration.ofSeconds(30);
  private Duration storePatience = Duration.ofSeconds(1);
  private Duration maxLoadTime = Duration.ofMinutes(1);
  private double jitter = 0.1;
  private double earliness = 1;
  private long localSize = 10_000;

  SharedCacheBuilder(String name) {
    this.name = Require.notNull(name, "the name of a cache");
    Require.that(
        NAME.matcher(name).matches(),
        () ->
            "the name of a cache must be 1 to 100 letters, digits and . _ -, was "
                + Excerpt.quoted(name));
  }

  /**
   * Encodes the values; required. A value that cannot be encoded stays in the memory of this
   * process. A stored value that cannot be decoded is loaded again and replaced.
   */
  public SharedCacheBuilder<K, V> values(Codec<V> how) {
    codec = Require.notNull(how, "the codec of a cache");
    return this;
  }

  /**
   * Makes a text of a key, in which keys differ that are different; needed where they are not
   * texts, numbers, enums or UUIDs.
   */
  public SharedCacheBuilder<K, V> keys(Function<? super K, String> how) {
    keys = Require.notNull(how, "what makes texts of keys");
    return this;
  }

  /** How long a value is fresh after it was loaded; 5 minutes by default. */
  public SharedCacheBuilder<K, V> freshFor(Duration time) {
    freshFor = Require.between(time, MOMENT, YEAR, "freshFor");
    return this;
  }

  /**
   * For how long after that a value is still served at once, while one process loads it anew; zero
   * by default.
   */
  public SharedCacheBuilder<K, V> staleFor(Duration time) {
    staleFor = Require.between(time, Duration.ZERO, YEAR, "staleFor");
    return this;
  }

  /**
   * For how long after that a value is kept for the case that the load fails or takes longer than a
   * caller can wait, who then gets it instead of an exception; zero by default.
   */
  public SharedCacheBuilder<K, V> fallbackFor(Duration time) {
    fallbackFor = Require.between(time, Duration.ZERO, YEAR, "fallbackFor");
    return this;
  }

  /**
   * How long it is remembered that there is no value, where the loader has answered null; zero by
   * default: the next one loads again.
   */
  public SharedCacheBuilder<K, V> emptyFor(Duration time) {
    emptyFor = Require.between(time, Duration.ZERO, YEAR, "emptyFor");
    return this;
  }

  /**
   * How long the error of a loader is told to others who ask, here and elsewhere, instead of
   * loading again; zero by default: only those who waited for this load are told.
   */
  public SharedCacheBuilder<K, V> errorsFor(Duration time) {
    errorsFor = Require.between(time, Duration.ZERO, Duration.ofHours(1), "errorsFor");
    return this;
  }

  /**
   * For how long a process uses what it has in memory without asking the store; 10 s by default. It
   * bounds how long an invalidation by another process can go unnoticed where the store cannot tell
   * of it: always on MariaDB, MySQL and H2.
   */
  public SharedCacheBuilder<K, V> localFor(Duration time) {
    localFor = Require.between(time, MOMENT, YEAR, "localFor");
    return this;
  }

  /** How many values a process has in memory at most; 10,000 by default. */
  public SharedCacheBuilder<K, V> localSize(long most) {
    Require.that(most >= 0, () -> "localSize must be at least 0, was " + most);
    localSize = most;
    return this;
  }

  /**
   * The lease of the process that loads: after its death, others wait no longer than that. It is
   * renewed while it loads. 5 s by default.
   */
  public SharedCacheBuilder<K, V> lease(Duration time) {
    lease = Require.between(time, Leases.MIN_DURATION, Duration.ofMinutes(10), "lease");
    return this;
  }

  /** How long a call waits for its value where it does not say it itself; 30 s by default. */
  public SharedCacheBuilder<K, V> patience(Duration time) {
    patience = Require.between(time, Duration.ZERO, Duration.ofDays(1), "patience");
    return this;
  }

  /** How long the store may take to answer before a process goes on without it; 1 s by default. */
  public SharedCacheBuilder<K, V> storePatience(Duration time) {
    storePatience = Require.between(time, MOMENT, Duration.ofMinutes(1), "storePatience");
    return this;
  }

  /**
   * How long a load may take before others may load the same; 1 minute by default, at most an hour.
   * What it brings after that is given to those who wait for it, and not kept.
   */
  public SharedCacheBuilder<K, V> maxLoadTime(Duration time) {
    maxLoadTime = Require.between(time, MOMENT, CacheStore.MEMORY, "maxLoadTime");
    return this;
  }

  /**
   * By which part of {@code freshFor} values may be over earlier, each at random, so that what was
   * loaded together is not over together; 0.1 by default, at most 0.5.
   */
  public SharedCacheBuilder<K, V> jitter(double part) {
    Require.that(part >= 0 && part <= 0.5, () -> "jitter must be from 0 to 0.5, was " + part);
    jitter = part;
    return this;
  }

  /**
   * How eagerly values that are much asked for are loaded anew in the background before they are
   * over: 0 for never, 1 by default, more for earlier. By XFetch: each call decides by chance, the
   * likelier the longer the load takes and the nearer the end is.
   */
  public SharedCacheBuilder<K, V> earlyRefresh(double beta) {
    Require.that(beta >= 0 && beta <= 100, () -> "earlyRefresh must be from 0 to 100, was " + beta);
    earliness = beta;
    return this;
  }

  /**
   * Runs the loaders, such as one that carries a context along; threads of the cache by default. It
   * must have a thread for each load: a loader may wait for another.
   */
  public SharedCacheBuilder<K, V> executor(Executor threads) {
    executor = Require.notNull(threads, "executor");
    return this;
  }

  /** The clock of this process in nanoseconds, for tests; {@link System#nanoTime} by default. */
  public SharedCacheBuilder<K, V> clock(LongSupplier nanos) {
    clock = Require.notNull(nanos, "clock");
    ticks = clock;
    return this;
  }

  /** Makes the cache, over leases and a store that all its processes share. */
  public SharedCache<K, V> on(Leases leases, CacheStore store) {
    return new SharedCache<>(
        this, Require.notNull(leases, "leases"), Require.notNull(store, "store"));
  }

  String name() {
    return name;
  }

  Function<? super K, String> keys() {
    return keys;
  }

  Codec<V> codec() {
    return Require.notNull(
        codec, "the codec of the cache '" + name + "', as in values(JacksonCodecs.of(…)),");
  }

  Executor executor() {
    return executor;
  }

  LongSupplier clock() {
    return clock;
  }

  /** As the clock, but cheap, and perhaps a few milliseconds behind. */
  LongSupplier ticks() {
    return ticks;
  }

  CacheSettings settings() {
    return new CacheSettings(
        freshFor,
        staleFor,
        fallbackFor,
        emptyFor,
        errorsFor,
        localFor,
        lease,
        patience,
        storePatience,
        maxLoadTime,
        jitter,
        earliness,
        localSize);
  }
}
