package dev.holdfast.testing.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheCodec;
import dev.holdfast.cache.CacheLoadException;
import dev.holdfast.cache.CacheLoader;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.cache.SharedCacheBuilder;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.testing.SettableClock;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The times of a shared cache, by a clock that stands still until it is moved. */
class CacheTimesIT {
  private static final Instant START = Instant.parse("2026-05-17T12:00:00Z");

  private final TestSchema schema = TestDatabase.h2().newSchema();
  private final SettableClock clock = new SettableClock(START);
  private final DataSource clocked = clock.over(schema.dataSource());
  private final AtomicInteger loads = new AtomicInteger();

  @BeforeEach
  void migrate() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  private SharedCache<String, String> process(SharedCacheBuilder<String, String> settings) {
    try (Connection connection = schema.dataSource().getConnection()) {
      Dialect dialect = Dialect.of(connection);
      return settings
          .clock(() -> TimeUnit.NANOSECONDS.convert(Duration.between(START, clock.instant())))
          .on(
              Holdfast.createLeases(SqlLeaseStore.create(clocked, dialect, null, 1)),
              CacheStore.in(clocked, dialect, null, 1));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static SharedCacheBuilder<String, String> settings() {
    return SharedCache.<String, String>named("texts")
        .values(
            new CacheCodec<>() {
              @Override
              public byte[] write(String value) {
                return value.getBytes(UTF_8);
              }

              @Override
              public String read(byte[] bytes) {
                return new String(bytes, UTF_8);
              }
            })
        .storePatience(Duration.ofSeconds(30))
        .freshFor(Duration.ofSeconds(100))
        .jitter(0)
        .earlyRefresh(0);
  }

  /** Answers the number of its call. */
  private String load(String key) {
    return Integer.toString(loads.incrementAndGet());
  }

  private static CacheLoader<String, String> broken() {
    return key -> {
      throw new IllegalStateException("broken");
    };
  }

  /** Until what was loaded is stored, which nobody waits for. */
  private void awaitStored(String value) {
    Awaitility.await()
        .until(
            () -> process(settings().staleFor(Duration.ofDays(1))).getIfPresent("x").orElse(""),
            value::equals);
  }

  private void pass(int seconds) {
    clock.advance(Duration.ofSeconds(seconds));
  }

  @Test
  void reloadsExpiredValue() {
    SharedCache<String, String> cache = process(settings());
    assertThat(cache.get("x", this::load)).isEqualTo("1");
    awaitStored("1");

    pass(99);
    assertThat(cache.get("x", this::load)).isEqualTo("1");
    pass(1);
    assertThat(cache.get("x", this::load)).isEqualTo("2");
  }

  @Test
  void memoryIsTrustedForItsOwnTimeOnly() {
    SharedCache<String, String> first = process(settings());
    SharedCache<String, String> second = process(settings().localFor(Duration.ofSeconds(10)));
    first.get("x", this::load);
    awaitStored("1");
    assertThat(second.get("x", this::load)).isEqualTo("1");
    first.invalidate("x");
    first.get("x", this::load);
    awaitStored("2");

    pass(9);
    assertThat(second.get("x", this::load)).as("nobody has told it").isEqualTo("1");
    pass(1);
    assertThat(second.get("x", this::load)).isEqualTo("2");
    assertThat(loads).hasValue(2);
  }

  @Test
  void servesStaleValueThenOnlyOnErrorThenNever() {
    SharedCache<String, String> cache =
        process(settings().staleFor(Duration.ofSeconds(10)).fallbackFor(Duration.ofSeconds(10)));
    cache.get("x", this::load);
    awaitStored("1");

    pass(105);
    assertThat(cache.get("x", broken())).as("served at once").isEqualTo("1");
    Awaitility.await().until(() -> cache.stats().loadFailures() == 1);
    assertThat(cache.stats().staleServed()).isEqualTo(1);
    pass(10);
    assertThat(cache.get("x", broken())).as("rather than the error").isEqualTo("1");
    assertThat(cache.stats().loadFailures()).isEqualTo(2);
    pass(6);
    assertThatThrownBy(() -> cache.get("x", broken())).isInstanceOf(CacheLoadException.class);
    assertThat(cache.get("x", this::load)).isEqualTo("2");
  }

  @Test
  void failedRefreshBacksOff() {
    SharedCache<String, String> cache = process(settings().staleFor(Duration.ofSeconds(100)));
    cache.get("x", this::load);
    awaitStored("1");
    pass(101);
    cache.get("x", broken());
    Awaitility.await().until(() -> cache.stats().loadFailures() == 1);

    for (int i = 0; i < 100; i++) {
      assertThat(cache.get("x", broken())).isEqualTo("1");
    }
    assertThat(cache.stats().loadFailures()).isEqualTo(1);
    pass(2);
    cache.get("x", this::load);
    Awaitility.await().until(() -> "2".equals(cache.get("x", this::load)));
  }

  @Test
  void refreshesHotValueBeforeExpiry() {
    SharedCache<String, String> cache = process(settings().earlyRefresh(1));
    assertThat(cache.get("x", this::loadFor5Seconds)).isEqualTo("1");
    awaitStored("1");

    pass(1); // 99 s are left, 20 times as long as the load: it does not happen
    for (int i = 0; i < 1000; i++) {
      assertThat(cache.get("x", this::load)).isEqualTo("1");
    }
    assertThat(cache.stats().earlyRefreshes()).isZero();

    pass(89); // 10 s are left: with each call in exp(-2) of the cases
    Awaitility.await().until(() -> "2".equals(cache.get("x", this::load)));
    assertThat(cache.stats().earlyRefreshes()).isEqualTo(1);
    assertThat(cache.stats().staleServed()).isZero();
    awaitStored("2");
  }

  private String loadFor5Seconds(String key) {
    pass(5);
    return load(key);
  }

  @Test
  void databaseClockDecidesExpiry() {
    SharedCache<String, String> first = process(settings().localFor(Duration.ofDays(1)));
    first.get("x", this::load);
    awaitStored("1");

    SharedCache<String, String> second = process(settings());
    clock.set(START.minus(Duration.ofHours(1)));
    assertThat(second.get("x", this::load)).isEqualTo("1");
    clock.set(START.plus(Duration.ofHours(1)));
    assertThat(process(settings()).get("x", this::load)).isEqualTo("2");
  }

  @Test
  void whatIsLongOverIsForgotten() throws SQLException {
    SharedCache<String, String> cache = process(settings());
    cache.get("x", this::load);
    awaitStored("1");
    cache.invalidate("y");
    try (Connection connection = schema.dataSource().getConnection()) {
      CacheStore store = CacheStore.in(clocked, Dialect.of(connection), null, 1);
      pass(120);
      assertThat(store.forget()).isZero();
      clock.advance(CacheStore.MEMORY);
      assertThat(store.forget()).isEqualTo(2);
    }
    assertThat(schema.count("select count(*) from holdfast_cache")).isZero();
  }

  @Test
  void explainsInvalidationInsideTransaction() {
    SharedCache<String, String> cache = process(settings());

    assertThatThrownBy(() -> Transactions.on(schema.dataSource()).run(tx -> cache.invalidate("x")))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("after the transaction has ended");
  }
}
