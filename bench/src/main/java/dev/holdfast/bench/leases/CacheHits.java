package dev.holdfast.bench.leases;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.holdfast.bench.Hands;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.jackson.JacksonCodecs;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads keys that are all in the memory of the process already. */
final class CacheHits {
  /** How many values one deed reads, which counts as one. */
  private static final int READS = 1000;

  private static final Duration FRESH = Duration.ofMinutes(5);
  private static final Long[] KEYS = LongStream.range(0, READS).boxed().toArray(Long[]::new);

  private CacheHits() {}

  static Hands.Deed shared(Leases leases, DataSource dataSource) {
    SharedCache<Long, String> cache =
        SharedCache.<Long, String>named("bench")
            .values(JacksonCodecs.of(String.class))
            .freshFor(FRESH)
            .on(leases, CacheStore.using(dataSource));
    return reading(key -> cache.get(key, CacheHits::value));
  }

  /** Caffeine with values that expire, as they do in a shared cache. */
  static Hands.Deed expiring() {
    return reading(Caffeine.newBuilder().maximumSize(10_000).expireAfterWrite(FRESH).build());
  }

  /** Caffeine with values that expire, by a clock that a thread moves on, as ours does. */
  static Hands.Deed expiringByCoarseClock() {
    return reading(
        Caffeine.newBuilder()
            .maximumSize(10_000)
            .expireAfterWrite(FRESH)
            .ticker(CoarseClock.start())
            .build());
  }

  /** The monotonic clock to within 5 ms, for the price of reading a field. */
  private static final class CoarseClock implements Ticker {
    private volatile long now = System.nanoTime();

    static CoarseClock start() {
      CoarseClock clock = new CoarseClock();
      Thread thread =
          new Thread(
              () -> {
                while (true) {
                  LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                  clock.now = System.nanoTime();
                }
              },
              "coarse-clock");
      thread.setDaemon(true);
      thread.start();
      return clock;
    }

    @Override
    public long read() {
      return now;
    }
  }

  /** Caffeine with values that it keeps for ever. */
  static Hands.Deed lasting() {
    return reading(Caffeine.newBuilder().maximumSize(10_000).build());
  }

  private static Hands.Deed reading(Cache<Long, String> cache) {
    return reading(key -> cache.get(key, CacheHits::value));
  }

  private static Hands.Deed reading(Reader reader) {
    return hand -> {
      for (int i = 0; i < READS; i++) {
        // each hand begins elsewhere
        if (reader.read(KEYS[(i + hand * 100) % READS]) == null) {
          throw new IllegalStateException("a value is missing");
        }
      }
      return 1;
    };
  }

  private static String value(Long key) {
    return "value-" + key;
  }

  private interface Reader {
    @Nullable String read(Long key);
  }
}
