package dev.holdfast.testing.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.cache.json.JsonValues;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.CacheDefectsContract;
import dev.holdfast.testing.contract.CacheFaultContract;
import dev.holdfast.testing.contract.CacheNotificationContract;
import dev.holdfast.testing.contract.CacheStaleContract;
import dev.holdfast.testing.contract.CacheStoreContract;
import dev.holdfast.testing.contract.CacheStoreFixture;
import dev.holdfast.testing.contract.SharedCacheContract;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The shared cache keeps its contracts on PostgreSQL. */
class PostgreSqlCacheIT {
  private static CacheStoreFixture place() {
    return CacheStoreFixture.on(TestDatabase.postgreSql());
  }

  @Test
  void onlyConnectionIsNotUsedToListen() {
    TestSchema schema = TestDatabase.postgreSql().newSchema();
    try {
      Holdfast.create(schema.dataSource()).migrations().migrate();
      DataSource small = schema.dataSource(1);
      SharedCache<Integer, Integer> cache =
          SharedCache.<Integer, Integer>named("small")
              .values(JsonValues.of(Integer.class))
              .storePatience(Duration.ofSeconds(30))
              .on(Holdfast.create(small).leases(), CacheStore.using(small));

      for (int i = 0; i < 30; i++) {
        int value = i;
        assertThat(cache.get(i, key -> value)).isEqualTo(value);
      }
      assertThat(cache.stats().storeFailures()).isZero();
    } finally {
      schema.close();
    }
  }

  @Nested
  class Store extends CacheStoreContract {
    Store() {
      super(PostgreSqlCacheIT::place);
    }
  }

  @Nested
  class Telling extends CacheNotificationContract {
    Telling() {
      super(PostgreSqlCacheIT::place);
    }
  }

  @Nested
  class Use extends SharedCacheContract {
    Use() {
      super(PostgreSqlCacheIT::place);
    }
  }

  @Nested
  class Stale extends CacheStaleContract {
    Stale() {
      super(PostgreSqlCacheIT::place);
    }
  }

  @Nested
  class Faults extends CacheFaultContract {
    Faults() {
      super(PostgreSqlCacheIT::place);
    }
  }

  @Nested
  class Defects extends CacheDefectsContract {
    Defects() {
      super(PostgreSqlCacheIT::place);
    }
  }
}
