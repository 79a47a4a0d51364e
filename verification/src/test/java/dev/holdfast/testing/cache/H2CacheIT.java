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

/** The shared cache keeps its contracts on H2. */
class H2CacheIT {
  private static CacheStoreFixture place() {
    return CacheStoreFixture.on(TestDatabase.h2());
  }

  @Nested
  class Store extends CacheStoreContract {
    Store() {
      super(H2CacheIT::place);
    }
  }

  @Nested
  class Telling extends CacheNotificationContract {
    Telling() {
      super(H2CacheIT::place);
    }
  }

  @Nested
  class Use extends SharedCacheContract {
    Use() {
      super(H2CacheIT::place);
    }
  }

  @Nested
  class Stale extends CacheStaleContract {
    Stale() {
      super(H2CacheIT::place);
    }
  }

  @Nested
  class Faults extends CacheFaultContract {
    Faults() {
      super(H2CacheIT::place);
    }
  }

  @Nested
  class Defects extends CacheDefectsContract {
    Defects() {
      super(H2CacheIT::place);
    }
  }
}
