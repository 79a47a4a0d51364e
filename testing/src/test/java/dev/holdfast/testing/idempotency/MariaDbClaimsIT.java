package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ClaimsContract;
import dev.holdfast.testing.contract.IdempotencyPlace;
import dev.holdfast.testing.contract.IdempotencyRetentionContract;
import dev.holdfast.testing.contract.IdempotencyStoreContract;
import org.junit.jupiter.api.Nested;

/** Claims keep their contracts on MariaDB. */
class MariaDbClaimsIT {
  private static IdempotencyPlace place() {
    return IdempotencyPlace.on(TestDatabase.mariaDb());
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(MariaDbClaimsIT::place);
    }
  }

  @Nested
  class Use extends ClaimsContract {
    Use() {
      super(MariaDbClaimsIT::place);
    }
  }
}
