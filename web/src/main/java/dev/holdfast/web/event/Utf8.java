package dev.holdfast.web.event;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Texts as UTF-8 where that is possible without loss. */
final class Utf8 {
  private Utf8() {}

  /** Empty where it has single surrogates. */
  static Optional<byte[]> bytes(String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return Optional.of(bytes);
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** Empty where the bytes are not UTF-8. */
  static Optional<String> text(byte[] bytes) {
    try {
      return Optional.of(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  /** A header of a request: the container reads each byte as a character. */
  static String header(String value) {
    return text(value.getBytes(StandardCharsets.ISO_8859_1)).orElse(value);
  }
}
