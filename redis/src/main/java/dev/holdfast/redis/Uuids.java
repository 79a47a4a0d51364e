package dev.holdfast.redis;

import java.nio.ByteBuffer;
import java.util.UUID;

/** Random numbers that tell who is who, as 16 bytes. */
final class Uuids {
  static final int BYTES = 16;

  private Uuids() {}

  static byte[] bytes(UUID uuid) {
    return ByteBuffer.allocate(BYTES)
        .putLong(uuid.getMostSignificantBits())
        .putLong(uuid.getLeastSignificantBits())
        .array();
  }

  static UUID read(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }
}
