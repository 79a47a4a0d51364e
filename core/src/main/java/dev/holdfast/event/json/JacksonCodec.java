package dev.holdfast.event.json;

import dev.holdfast.event.PayloadCodec;
import dev.holdfast.internal.Require;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Payloads as JSON, by Jackson. By default as Jackson does by default: records by their components,
 * times in ISO 8601, and what a class does not know is left out when it is read, so that instances
 * of two versions can work side by side. A class of which Jackson sees nothing is refused: it would
 * be stored as {@code {}}, and its content lost. Immutable and thread-safe.
 */
public final class JacksonCodec implements PayloadCodec {
  private final ObjectMapper mapper;

  public JacksonCodec() {
    this(JsonMapper.builder().enable(SerializationFeature.FAIL_ON_EMPTY_BEANS).build());
  }

  public JacksonCodec(ObjectMapper mapper) {
    this.mapper = Require.notNull(mapper, "mapper");
  }

  @Override
  public String write(Object payload) {
    return mapper.writeValueAsString(payload);
  }

  @Override
  public <P> P read(String text, Class<P> type) {
    return mapper.readValue(text, type);
  }
}
