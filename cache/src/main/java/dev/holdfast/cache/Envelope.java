package dev.holdfast.cache;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A value as the store has it: with what it is, how long its load took, and the proof of its key.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a whole
record Envelope(Kind kind, long loadNanos, byte[] content) {
  private static final byte VERSION = 1;
  private static final int HEADER = 2 + Long.BYTES + Integer.BYTES;

  /** What the content is; the letters are stored. */
  enum Kind {
    VALUE('V'),
    EMPTY('N'),
    ERROR('E'),

    /** An old value, whose load has failed since. */
    AGAIN('A');

    private final byte code;

    Kind(char code) {
      this.code = (byte) code;
    }

    static @Nullable Kind of(byte code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      return null;
    }
  }

  static Envelope error(String text) {
    return new Envelope(Kind.ERROR, 0, text.getBytes(StandardCharsets.UTF_8));
  }

  String text() {
    return new String(content, StandardCharsets.UTF_8);
  }

  byte[] write(CacheName name) {
    byte[] proof = name.proof();
    return ByteBuffer.allocate(HEADER + proof.length + content.length)
        .put(VERSION)
        .put(kind.code)
        .putLong(loadNanos)
        .putInt(proof.length)
        .put(proof)
        .put(content)
        .array();
  }

  /** Null where the bytes are of another key, or of another version of this class. */
  static @Nullable Envelope read(byte[] bytes, CacheName name) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (bytes.length < HEADER || buffer.get() != VERSION) {
      return null;
    }
    Kind kind = Kind.of(buffer.get());
    long loadNanos = buffer.getLong();
    int proof = buffer.getInt();
    int begin = HEADER + proof;
    if (kind == null
        || proof < 0
        || begin > bytes.length
        || begin < HEADER
        || !Arrays.equals(name.proof(), Arrays.copyOfRange(bytes, HEADER, begin))) {
      return null;
    }
    return new Envelope(kind, loadNanos, Arrays.copyOfRange(bytes, begin, bytes.length));
  }
}
