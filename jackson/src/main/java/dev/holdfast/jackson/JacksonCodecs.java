package dev.holdfast.jackson;

import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.internal.Require;
import java.util.List;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Stores values as JSON, with Jackson 3. On the class path, Holdfast finds it by itself. To use a
 * mapper of the application:
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.builder(dataSource).codec(JacksonCodecs.create(mapper)).build();
 * }</pre>
 *
 * <p><b>Defaults:</b> the mapper has the defaults of Jackson: records by their components, times in
 * ISO 8601. Unknown properties are ignored, so that two versions of an application can run side by
 * side. A class without visible properties is rejected, because it would be stored as {@code {}}.
 *
 * <p>Immutable and thread-safe.
 */
public final class JacksonCodecs implements CodecFactory {
  private static final JacksonCodecs DEFAULT = new JacksonCodecs();

  private final ObjectMapper mapper;

  /** Creates the codecs of the default mapper; for {@link java.util.ServiceLoader}. */
  public JacksonCodecs() {
    this(JsonMapper.builder().enable(SerializationFeature.FAIL_ON_EMPTY_BEANS).build());
  }

  private JacksonCodecs(ObjectMapper mapper) {
    this.mapper = mapper;
  }

  /** The codecs of this mapper. */
  public static JacksonCodecs create(ObjectMapper mapper) {
    return new JacksonCodecs(Require.notNull(mapper, "mapper"));
  }

  /** The codec of a class, with the default mapper. */
  public static <T> Codec<T> of(Class<T> type) {
    return DEFAULT.codec(type);
  }

  /** The codec of lists of a class, with the default mapper. */
  public static <E> Codec<List<E>> listOf(Class<E> elementType) {
    return DEFAULT.listCodec(elementType);
  }

  @Override
  public <T> Codec<T> codec(Class<T> type) {
    return codec(mapper.constructType(Require.notNull(type, "type")));
  }

  /** The codec of lists of a class. */
  public <E> Codec<List<E>> listCodec(Class<E> elementType) {
    Require.notNull(elementType, "elementType");
    return codec(mapper.getTypeFactory().constructCollectionType(List.class, elementType));
  }

  /** The codec of any type that Jackson can describe. */
  public <T> Codec<T> codec(JavaType type) {
    return new JsonCodec<>(mapper, Require.notNull(type, "type"));
  }

  private record JsonCodec<T>(ObjectMapper mapper, JavaType type) implements Codec<T> {
    @Override
    public byte[] encode(T value) {
      return mapper.writeValueAsBytes(Require.notNull(value, "a value that is stored as JSON"));
    }

    @Override
    public T decode(byte[] bytes) {
      return mapper.readValue(bytes, type);
    }

    @Override
    public boolean isText() {
      return true;
    }

    @Override
    public String toString() {
      return "JSON of " + type.toCanonical();
    }
  }
}
