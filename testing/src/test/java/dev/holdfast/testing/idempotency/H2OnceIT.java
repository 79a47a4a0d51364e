package dev.holdfast.testing.idempotency;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.contract.OnceContract;
import org.junit.jupiter.api.Nested;

/** Requests take effect once on H2. */
class H2OnceIT {
  @Nested
  class Use extends OnceContract {
    Use() {
      super(TestDatabase.h2());
    }
  }
}
