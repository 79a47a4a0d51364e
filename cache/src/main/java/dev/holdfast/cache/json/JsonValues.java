package dev.holdfast.cache.json;

import dev.holdfast.cache.CacheCodec;
import dev.holdfast.internal.Require;
import java.util.List;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Values as JSON, by Jackson. What a class does not know is left out when it is read, so that
 * instances of two versions can work side by side. A class of which Jackson sees nothing is
 * refused: it would be stored as {@code {}}. Immutable and thread-safe.
 */
public final class JsonValues<V> implements CacheCodec<V> {
  private final ObjectMapper mapper;
  private final JavaType type;

  private JsonValues(ObjectMapper mapper, JavaType type) {
    this.mapper = mapper;
    this.type = type;
  }

  /** Values of this class. */
  public static <V> JsonValues<V> of(Class<V> type) {
    return of(type, standard());
  }

  /** Values of this class, by a mapper of your own. */
  public static <V> JsonValues<V> of(Class<V> type, ObjectMapper mapper) {
    Require.notNull(mapper, "mapper");
    return new JsonValues<>(mapper, mapper.constructType(Require.notNull(type, "type")));
  }

  /** Lists of this class. */
  public static <E> JsonValues<List<E>> listOf(Class<E> type) {
    Require.notNull(type, "type");
    ObjectMapper mapper = standard();
    return of(mapper.getTypeFactory().constructCollectionType(List.class, type), mapper);
  }

  /** Values of any type that Jackson can name, by a mapper of your own. */
  public static <V> JsonValues<V> of(JavaType type, ObjectMapper mapper) {
    return new JsonValues<>(Require.notNull(mapper, "mapper"), Require.notNull(type, "type"));
  }

  private static ObjectMapper standard() {
    return JsonMapper.builder().enable(SerializationFeature.FAIL_ON_EMPTY_BEANS).build();
  }

  @Override
  public byte[] write(V value) {
    return mapper.writeValueAsBytes(value);
  }

  @Override
  public V read(byte[] bytes) {
    return mapper.readValue(bytes, type);
  }
}
