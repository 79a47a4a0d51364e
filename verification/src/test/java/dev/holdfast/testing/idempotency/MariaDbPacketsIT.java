package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.testing.contract.IdempotencyPlace;
import org.junit.jupiter.api.Test;

/** Answers that are larger than what MariaDB takes in a statement. */
class MariaDbPacketsIT {
  private static final int MEBIBYTE = 1 << 20;

  /** Each of its bytes takes two in a statement. */
  private static final byte[] LARGE = new byte[9 * MEBIBYTE];

  @Test
  void workWhoseAnswerIsLargerThanAPacketIsNotRunAgain() {
    try (TestSchema admin = TestDatabase.mariaDb().newSchema()) {
      admin.execute("set global max_allowed_packet = " + 16 * MEBIBYTE);
      try (IdempotencyPlace place = IdempotencyPlace.on(TestDatabase.mariaDb())) {
        Claims claims = Claims.on(place.open()).largestReply(15 * MEBIBYTE);
        IdempotencyKey key = IdempotencyKey.of("pay", "x");

        OnceResult<byte[]> told =
            claims.run(key, Fingerprint.NONE, ReplyCodecs.bytes(), claim -> LARGE);

        assertThat(told).isInstanceOf(OnceResult.Executed.class);
        assertThatThrownBy(
                () -> claims.run(key, Fingerprint.NONE, ReplyCodecs.bytes(), claim -> new byte[1]))
            .isInstanceOfSatisfying(
                ReplyTooLargeException.class, e -> assertThat(e.tookEffect()).isTrue());
      } finally {
        admin.execute("set global max_allowed_packet = " + 64 * MEBIBYTE);
      }
    }
  }
}
