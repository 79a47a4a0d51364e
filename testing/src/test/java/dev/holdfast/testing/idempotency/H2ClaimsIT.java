package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.ClaimsContract;
import dev.holdfast.testing.contract.IdempotencyPlace;
import dev.holdfast.testing.contract.IdempotencyRetentionContract;
import dev.holdfast.testing.contract.IdempotencyStoreContract;
import org.junit.jupiter.api.Nested;

/** Claims keep their contracts on H2. */
class H2ClaimsIT {
  private static IdempotencyPlace place() {
    return IdempotencyPlace.on(TestDatabase.h2());
  }

  @Nested
  class Store extends IdempotencyStoreContract {
    Store() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Retention extends IdempotencyRetentionContract {
    Retention() {
      super(H2ClaimsIT::place);
    }
  }

  @Nested
  class Use extends ClaimsContract {
    Use() {
      super(H2ClaimsIT::place);
    }
  }
}
