package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import java.util.Arrays;
import java.util.UUID;

/**
 * Says that this attempt of a workflow may be interrupted. Stored as the 16 bytes of the owner id
 * and the lines of the key, no part of which has line ends.
 *
 * <p>Each attempt has its own entry, so that the removal of one never removes that of another.
 */
record WorkflowEntry(String workflow, IdempotencyKey key, UUID ownerId) {
  static WorkflowEntry of(String workflow, Ownership owner) {
    return new WorkflowEntry(workflow, owner.key(), owner.ownerId());
  }

  /** The entry of another attempt of the same request. */
  WorkflowEntry ofOwner(UUID otherOwnerId) {
    return new WorkflowEntry(workflow, key, otherOwnerId);
  }

  static WorkflowEntry read(String workflow, byte[] bytes) {
    String text = new String(bytes, Uuids.BYTES, bytes.length - Uuids.BYTES, UTF_8);
    String[] parts = text.split("\n", -1);
    return new WorkflowEntry(
        workflow, new IdempotencyKey(parts[0], parts[1], parts[2], parts[3]), Uuids.read(bytes));
  }

  byte[] bytes() {
    byte[] text = text(key);
    byte[] bytes = Arrays.copyOf(Uuids.bytes(ownerId), Uuids.BYTES + text.length);
    System.arraycopy(text, 0, bytes, Uuids.BYTES, text.length);
    return bytes;
  }

  static byte[] text(IdempotencyKey key) {
    return String.join("\n", key.tenant(), key.principal(), key.operation(), key.key())
        .getBytes(UTF_8);
  }
}
