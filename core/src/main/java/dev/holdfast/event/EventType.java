package dev.holdfast.event;

import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.EventArguments;
import java.util.Optional;
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

  private final String name;
  private final Class<P> payload;
  private final @Nullable PayloadCodec codec;

  private EventType(String name, Class<P> payload, @Nullable PayloadCodec codec) {
    this.name = EventArguments.requireType(name);
    this.payload = Require.notNull(payload, "the type of the payload");
    this.codec = codec;
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

  /** What its payload is. */
  public Class<P> payloadType() {
    return payload;
  }

  /** The codec of its own; empty if the codec of the {@link Events} encodes its payloads. */
  public Optional<PayloadCodec> codec() {
    return Optional.ofNullable(codec);
  }

  @Override
  public String toString() {
    return name;
  }
}
