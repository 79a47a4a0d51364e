package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyStore.FlowInput;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A record that is to be inserted.
 *
 * @param lease how long its claim lasts; null for the record of a transaction
 */
record NewRecord(
    RecordId id,
    Fingerprint fingerprint,
    UUID attempt,
    @Nullable Duration lease,
    Duration retention,
    @Nullable FlowInput work) {
  IdempotencyKey key() {
    return id.key();
  }

  boolean isClaimed() {
    return lease != null;
  }

  /** In the order of the parameters of {@link RecordSql#replace}. */
  @Nullable Object[] replacement() {
    byte[] sha256 = fingerprint.sha256();
    return lease == null
        ? new @Nullable Object[] {sha256, attempt, retention, id.shard(), id.digest()}
        : new @Nullable Object[] {
          sha256,
          attempt,
          retention,
          lease,
          work == null ? null : work.flow(),
          work == null ? null : work.input(),
          id.shard(),
          id.digest()
        };
  }

  /** In the order of the parameters of {@link RecordSql#insert}. */
  @Nullable Object[] values() {
    IdempotencyKey key = key();
    byte[] sha256 = fingerprint.sha256();
    if (lease == null) {
      return new @Nullable Object[] {
        id.shard(),
        id.digest(),
        key.tenant(),
        key.principal(),
        key.operation(),
        key.key(),
        sha256,
        attempt,
        retention
      };
    }
    return new @Nullable Object[] {
      id.shard(),
      id.digest(),
      key.tenant(),
      key.principal(),
      key.operation(),
      key.key(),
      sha256,
      attempt,
      retention,
      lease,
      work == null ? null : work.flow(),
      work == null ? null : work.input()
    };
  }
}
