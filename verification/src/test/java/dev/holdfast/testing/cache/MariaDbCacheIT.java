package dev.holdfast.testing.cache;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.CacheDefectsContract;
import dev.holdfast.testing.contract.CacheFaultContract;
import dev.holdfast.testing.contract.CacheNotificationContract;
import dev.holdfast.testing.contract.CacheStaleContract;
import dev.holdfast.testing.contract.CacheStoreContract;
import dev.holdfast.testing.contract.CacheStoreFixture;
import dev.holdfast.testing.contract.SharedCacheContract;
import org.junit.jupiter.api.Nested;

/** The shared cache keeps its contracts on MariaDB. */
class MariaDbCacheIT {
  private static CacheStoreFixture place() {
    return CacheStoreFixture.on(TestDatabase.mariaDb());
  }

  @Nested
  class Store extends CacheStoreContract {
    Store() {
      super(MariaDbCacheIT::place);
    }
  }

  @Nested
  class Telling extends CacheNotificationContract {
    Telling() {
      super(MariaDbCacheIT::place);
    }
  }

  @Nested
  class Use extends SharedCacheContract {
    Use() {
      super(MariaDbCacheIT::place);
    }
  }

  @Nested
  class Stale extends CacheStaleContract {
    Stale() {
      super(MariaDbCacheIT::place);
    }
  }

  @Nested
  class Faults extends CacheFaultContract {
    Faults() {
      super(MariaDbCacheIT::place);
    }
  }

  @Nested
  class Defects extends CacheDefectsContract {
    Defects() {
      super(MariaDbCacheIT::place);
    }
  }
}
