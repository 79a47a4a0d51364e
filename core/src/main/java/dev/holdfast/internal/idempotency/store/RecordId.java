package dev.holdfast.internal.idempotency.store;

import dev.holdfast.idempotency.IdempotencyKey;

/** Identifies the row of a key. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record RecordId(IdempotencyKey key, int shard, byte[] digest) {
  static RecordId of(IdempotencyKey key, int shards) {
    byte[] digest = key.digest();
    int hash = (digest[0] & 0xff) << 16 | (digest[1] & 0xff) << 8 | (digest[2] & 0xff);
    return new RecordId(key, hash % shards, digest);
  }
}
