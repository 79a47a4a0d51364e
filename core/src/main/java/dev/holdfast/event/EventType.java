package dev.holdfast.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.StoredPayload;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A kind of event: a name that stays when code is renamed, and what its payload is.
 *
 * <pre>{@code
 * static final EventType<Birthday> BIRTHDAY = EventType.of("birthday", Birthday.class);
 * }</pre>
 *
 * <p>Shared by those who schedule and those who handle. Immutable and thread-safe.
 */
public final class EventType<P> {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}");

  private static final int MAX_REASON_LENGTH = 300;

  private final String name;
  private final Class<P> payload;
  private final @Nullable Codec<P> codec;

  private EventType(String name, Class<P> payload, @Nullable Codec<P> codec) {
    this.name = name;
    this.payload = Require.notNull(payload, "the type of the payload");
    this.codec = codec;
    requireName(name);
  }

  static void requireName(@Nullable String name) {
    String given = Require.notNull(name, "the name of an event type");
    Require.that(
        NAME.matcher(given).matches(),
        () ->
            "the name of an event type must be 1 to 200 letters, digits and . _ : / -, was "
                + Excerpt.quoted(given));
  }

  /**
   * An event type whose payload has this class. {@code String} and {@code byte[]} are stored as
   * they are, all other classes with the codec of the {@link CodecFactory}, such as JSON.
   */
  public static <P> EventType<P> of(String name, Class<P> payload) {
    return new EventType<>(name, payload, null);
  }

  /** An event type whose payload is stored with this codec. */
  public static <P> EventType<P> of(String name, Class<P> payload, Codec<P> codec) {
    return new EventType<>(name, payload, Require.notNull(codec, "codec"));
  }

  public String name() {
    return name;
  }

  /** An event of this type, due at once. */
  public Event<P> event(P payload) {
    return Event.of(this, Require.notNull(payload, "the payload of '" + name + "'"));
  }

  Class<P> payload() {
    return payload;
  }

  /** Refuses to give an event a payload of another type than its own. */
  void requireTypeOf(EventRecord event) {
    Require.that(
        name.equals(event.type()),
        () ->
            "the type of a payload must be that of the event, '"
                + event.type()
                + "', was '"
                + name
                + "' (event "
                + event.id()
                + ")");
  }

  StoredPayload write(P value, CodecFactory codecs) {
    if (codec == null && value instanceof byte[] bytes) {
      return new StoredPayload(null, bytes.clone());
    }
    if (codec == null && value instanceof String text) {
      return new StoredPayload(requireStorable(text), null);
    }
    byte[] encoded;
    boolean isText;
    try {
      Codec<P> found = codec(codecs);
      encoded = Require.notNull(found.encode(value), "the encoded value");
      isText = found.isText();
    } catch (RuntimeException | LinkageError e) {
      throw new InvalidArgumentException(
          "the payload of '"
              + name
              + "' cannot be encoded: "
              + Excerpt.of(RetryPolicy.text(e), MAX_REASON_LENGTH),
          e);
    }
    return isText
        ? new StoredPayload(requireStorable(new String(encoded, StandardCharsets.UTF_8)), null)
        : new StoredPayload(null, encoded);
  }

  private String requireStorable(String text) {
    // PostgreSQL cannot store it
    Require.that(
        text.indexOf('\0') < 0,
        () -> "the text of a payload must not contain the character 0, of '" + name + "'");
    return text;
  }

  P read(StoredPayload stored, CodecFactory codecs) {
    if (codec == null && payload == byte[].class) {
      return payload.cast(Require.notNull(stored.bytes(), "the bytes of '" + name + "'"));
    }
    if (codec == null && payload == String.class) {
      return payload.cast(Require.notNull(stored.text(), "the text of '" + name + "'"));
    }
    Codec<P> found = codec(codecs);
    byte[] encoded =
        found.isText()
            ? Require.notNull(stored.text(), "the text of '" + name + "'")
                .getBytes(StandardCharsets.UTF_8)
            : Require.notNull(stored.bytes(), "the bytes of '" + name + "'");
    return Require.notNull(found.decode(encoded), "the payload of '" + name + "'");
  }

  /** The codec that is set, or else that of the factory. */
  Codec<P> codec(CodecFactory codecs) {
    return codec == null ? codecs.codec(payload) : codec;
  }

  @Override
  public String toString() {
    return name;
  }
}
