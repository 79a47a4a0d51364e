package dev.holdfast.race;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Finds the data source of a test: the only field of that type. The search goes from the innermost
 * class outwards, and from each class to its superclasses. If a class has several, the {@link
 * RaceDataSource} is used.
 */
final class TestDataSources {
  private TestDataSources() {}

  /**
   * Finds it.
   *
   * @param instances the instances of the test, outer classes first
   */
  static Optional<DataSource> of(List<Object> instances) {
    for (int inner = instances.size() - 1; inner >= 0; inner--) {
      Object instance = instances.get(inner);
      for (Class<?> type = instance.getClass(); type != null; type = type.getSuperclass()) {
        List<Field> fields = fields(type, DataSource.class);
        if (fields.size() > 1 && fields(type, RaceDataSource.class).size() == 1) {
          fields = fields(type, RaceDataSource.class);
        }
        requireOne(type, fields);
        if (!fields.isEmpty()) {
          return Optional.of(value(fields.get(0), instance));
        }
      }
    }
    return Optional.empty();
  }

  private static List<Field> fields(Class<?> type, Class<?> wanted) {
    List<Field> fields = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      if (wanted.isAssignableFrom(field.getType()) && !field.isSynthetic()) {
        fields.add(field);
      }
    }
    return fields;
  }

  private static void requireOne(Class<?> type, List<Field> fields) {
    Require.that(
        fields.size() <= 1,
        type.getSimpleName()
            + " has several data sources ("
            + fields.stream().map(Field::getName).sorted().collect(Collectors.joining(", "))
            + "): choose one with race.dataSource(dataSource)");
  }

  private static DataSource value(Field field, Object instance) {
    @Nullable Object value;
    try {
      field.setAccessible(true);
      value = field.get(Modifier.isStatic(field.getModifiers()) ? null : instance);
    } catch (IllegalAccessException | RuntimeException inaccessible) {
      throw new RaceSetupException(
          "the field " + field + " cannot be read; use race.dataSource(dataSource)", inaccessible);
    }
    if (value == null) {
      throw new RaceSetupException(
          "the field " + field + " is null: set it before the test, as in a @BeforeEach", null);
    }
    return (DataSource) value;
  }
}
