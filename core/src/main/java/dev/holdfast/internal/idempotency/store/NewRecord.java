package dev.holdfast.internal.idempotency.store;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A record to insert.
 *
 * @param lease how long its lease lasts; null for the record of a transaction
 */
record NewRecord(
    RecordId id,
    Fingerprint fingerprint,
    UUID ownerId,
    @Nullable Duration lease,
    Duration retention,
    @Nullable WorkflowInput work) {
  IdempotencyKey key() {
    return id.key();
  }

  boolean hasLease() {
    return lease != null;
  }

  /** In the order of the parameters of {@link RecordStatements#replace}. */
  @Nullable Object[] replacement() {
    byte[] sha256 = fingerprint.sha256();
    return lease == null
        ? new @Nullable Object[] {sha256, ownerId, retention, id.shard(), id.digest()}
        : new @Nullable Object[] {
          sha256,
          ownerId,
          retention,
          lease,
          work == null ? null : work.workflow(),
          work == null ? null : work.input(),
          id.shard(),
          id.digest()
        };
  }

  /** In the order of the parameters of {@link RecordStatements#insert}. */
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
        ownerId,
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
      ownerId,
      retention,
      lease,
      work == null ? null : work.workflow(),
      work == null ? null : work.input()
    };
  }
}
