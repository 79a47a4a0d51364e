package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ClaimsContract;
import dev.holdfast.testing.contract.IdempotencyPlace;
import dev.holdfast.testing.contract.IdempotencyRetentionContract;
import dev.holdfast.testing.contract.IdempotencyStoreContract;
import org.junit.jupiter.api.Nested;

/** Claims keep their contracts on MySQL. */
class MySqlClaimsIT {
  private static IdempotencyPlace place() {
    return IdempotencyPlace.on(TestDatabase.mySql());
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(MySqlClaimsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(MySqlClaimsIT::place);
    }
  }

  @Nested
  class Use extends ClaimsContract {
    Use() {
      super(MySqlClaimsIT::place);
    }
  }
}
