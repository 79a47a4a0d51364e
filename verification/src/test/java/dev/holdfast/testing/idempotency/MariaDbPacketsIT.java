package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.IdempotencyStoreFixture;
import dev.holdfast.workflow.Workflows;
import org.junit.jupiter.api.Test;

/** Answers that are larger than what MariaDB takes in a statement. */
class MariaDbPacketsIT {
  private static final int MEBIBYTE = 1 << 20;

  /** Each of its bytes takes two in a statement. */
  private static final byte[] LARGE = new byte[9 * MEBIBYTE];

  @Test
  void doesNotRerunWorkWithOversizedResult() {
    try (TestSchema admin = TestDatabase.mariaDb().newSchema()) {
      admin.execute("set global max_allowed_packet = " + 16 * MEBIBYTE);
      try (IdempotencyStoreFixture place = IdempotencyStoreFixture.on(TestDatabase.mariaDb())) {
        Workflows claims =
            Workflows.create(
                place.open(), IdempotencyOptions.builder().maxResultSize(15 * MEBIBYTE).build());
        IdempotencyKey key = IdempotencyKey.of("pay", "x");

        IdempotencyResult<byte[]> told =
            claims.run(IdempotencyRequest.of(key, ReplyCodecs.bytes()), claim -> LARGE);

        assertThat(told).isInstanceOf(IdempotencyResult.Executed.class);
        assertThatThrownBy(
                () ->
                    claims.run(
                        IdempotencyRequest.of(key, ReplyCodecs.bytes()), claim -> new byte[1]))
            .isInstanceOfSatisfying(
                ResultTooLargeException.class, e -> assertThat(e.isEffective()).isTrue());
      } finally {
        admin.execute("set global max_allowed_packet = " + 64 * MEBIBYTE);
      }
    }
  }
}
