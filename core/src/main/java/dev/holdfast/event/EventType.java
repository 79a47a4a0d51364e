package dev.holdfast.event;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.store.StoredPayload;
import java.util.Objects;
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
  private final @Nullable PayloadCodec codec;

  private EventType(String name, Class<P> payload, @Nullable PayloadCodec codec) {
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
   * A type whose payload is written as JSON, by the codec of the {@link Events}. {@code String} and
   * {@code byte[]} are kept as they are.
   */
  public static <P> EventType<P> of(String name, Class<P> payload) {
    return new EventType<>(name, payload, null);
  }

  /** A type whose payload is written by a codec of its own. */
  public static <P> EventType<P> of(String name, Class<P> payload, PayloadCodec codec) {
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

  StoredPayload write(P value, PayloadCodec byDefault) {
    if (value instanceof byte[] bytes) {
      return new StoredPayload(null, bytes.clone());
    }
    String text = value instanceof String given ? given : encode(value, byDefault);
    // PostgreSQL cannot keep it
    Require.that(
        text.indexOf('\0') < 0,
        () -> "the text of a payload must not contain the character 0, of '" + name + "'");
    return new StoredPayload(text, null);
  }

  private String encode(P value, PayloadCodec byDefault) {
    try {
      return Objects.requireNonNullElse(codec, byDefault).write(value);
    } catch (RuntimeException | LinkageError e) {
      throw new InvalidArgumentException(
          "the payload of '"
              + name
              + "' cannot be written"
              + (codec == null ? " as JSON: " : " by its codec: ")
              + Excerpt.of(RetryPolicy.text(e), MAX_REASON_LENGTH),
          e);
    }
  }

  P read(StoredPayload stored, PayloadCodec byDefault) {
    if (payload == byte[].class) {
      return payload.cast(Require.notNull(stored.bytes(), "the bytes of '" + name + "'"));
    }
    String text = Require.notNull(stored.text(), "the text of '" + name + "'");
    return payload == String.class
        ? payload.cast(text)
        : Require.notNull(
            Objects.requireNonNullElse(codec, byDefault).read(text, payload),
            "the payload of '" + name + "'");
  }

  @Override
  public String toString() {
    return name;
  }
}
