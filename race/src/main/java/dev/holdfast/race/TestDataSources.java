package dev.holdfast.race;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Finds the data source of a test: the one field that is one, from the innermost class outwards.
 */
final class TestDataSources {
  private TestDataSources() {}

  static Optional<DataSource> of(ExtensionContext context) {
    List<Object> instances = new ArrayList<>(context.getRequiredTestInstances().getAllInstances());
    for (int inner = instances.size() - 1; inner >= 0; inner--) {
      Object instance = instances.get(inner);
      for (Class<?> type = instance.getClass(); type != null; type = type.getSuperclass()) {
        List<Field> fields = fields(type);
        if (fields.size() > 1) {
          // the test must say which
          return Optional.empty();
        }
        if (!fields.isEmpty()) {
          return Optional.of(value(fields.get(0), instance));
        }
      }
    }
    return Optional.empty();
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Field field : type.getDeclaredFields()) {
      if (DataSource.class.isAssignableFrom(field.getType()) && !field.isSynthetic()) {
        fields.add(field);
      }
    }
    return fields;
  }

  private static DataSource value(Field field, Object instance) {
    @Nullable Object value;
    try {
      field.setAccessible(true);
      value = field.get(Modifier.isStatic(field.getModifiers()) ? null : instance);
    } catch (IllegalAccessException | RuntimeException closed) {
      throw new RaceSetupException(
          "the field " + field + " cannot be read; say race.using(dataSource)", closed);
    }
    if (value == null) {
      throw new RaceSetupException(
          "the field " + field + " is null: set it before the test, as in a @BeforeEach", null);
    }
    return (DataSource) value;
  }
}
