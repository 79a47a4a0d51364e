package dev.holdfast.idempotency.json;

import dev.holdfast.idempotency.ReplyCodec;
import dev.holdfast.internal.Require;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers of one class as JSON, by Jackson. By default as Jackson does by default: records by their
 * components, times in ISO 8601, and what a class does not know is left out when it is read. A
 * class of which Jackson sees nothing is refused. Immutable and thread-safe.
 */
public final class JsonReplies<T> implements ReplyCodec<T> {
  private static final ObjectMapper DEFAULT =
      JsonMapper.builder().enable(SerializationFeature.FAIL_ON_EMPTY_BEANS).build();

  private final Class<T> type;
  private final ObjectMapper mapper;

  private JsonReplies(Class<T> type, ObjectMapper mapper) {
    this.type = Require.notNull(type, "type");
    this.mapper = Require.notNull(mapper, "mapper");
  }

  public static <T> JsonReplies<T> of(Class<T> type) {
    return new JsonReplies<>(type, DEFAULT);
  }

  /** As this mapper writes and reads them. */
  public JsonReplies<T> mapper(ObjectMapper mapper) {
    return new JsonReplies<>(type, mapper);
  }

  @Override
  public byte[] write(T reply) {
    return mapper.writeValueAsBytes(Require.notNull(reply, "a reply that is kept as JSON"));
  }

  @Override
  public T read(byte[] bytes) {
    return mapper.readValue(bytes, type);
  }
}
