package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import java.util.Arrays;
import java.util.UUID;

/**
 * A mark that this attempt may work on a flow, or have left it: 16 bytes of the attempt, and the
 * key as text, in lines, because no part of it has line ends.
 *
 * <p>Each attempt has an entry of its own, so that none can be removed in place of another.
 */
record FlowEntry(String flow, IdempotencyKey key, UUID attempt) {
  static FlowEntry of(String flow, Ownership hold) {
    return new FlowEntry(flow, hold.key(), hold.attempt());
  }

  /** The same of another attempt. */
  FlowEntry of(UUID other) {
    return new FlowEntry(flow, key, other);
  }

  static FlowEntry read(String flow, byte[] bytes) {
    String text = new String(bytes, Uuids.BYTES, bytes.length - Uuids.BYTES, UTF_8);
    String[] parts = text.split("\n", -1);
    return new FlowEntry(
        flow, new IdempotencyKey(parts[0], parts[1], parts[2], parts[3]), Uuids.read(bytes));
  }

  byte[] bytes() {
    byte[] text = text(key);
    byte[] bytes = Arrays.copyOf(Uuids.bytes(attempt), Uuids.BYTES + text.length);
    System.arraycopy(text, 0, bytes, Uuids.BYTES, text.length);
    return bytes;
  }

  static byte[] text(IdempotencyKey key) {
    return String.join("\n", key.tenant(), key.principal(), key.operation(), key.key())
        .getBytes(UTF_8);
  }
}
