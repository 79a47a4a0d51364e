package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SelectionTest {
  private static final String PROPERTY = "holdfast.test.databases";

  private final @Nullable String before = System.getProperty(PROPERTY);

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(PROPERTY);
    } else {
      System.setProperty(PROPERTY, before);
    }
  }

  @Test
  void everyDatabaseIsUsedUnlessSomeAreNamed() {
    System.clearProperty(PROPERTY);
    assertThatCode(TestDatabase::mariaDb).doesNotThrowAnyException();

    System.setProperty(PROPERTY, "");
    assertThatCode(TestDatabase::mariaDb).doesNotThrowAnyException();
  }

  @Test
  void skipsUnnamedDatabaseWithReason() {
    System.setProperty(PROPERTY, "postgresql, h2");

    assertThatCode(TestDatabase::postgreSql).doesNotThrowAnyException();
    assertThatCode(TestDatabase::h2).doesNotThrowAnyException();
    assertThatThrownBy(TestDatabase::mariaDb)
        .hasMessageContaining("mariadb is left out by -Dholdfast.test.databases=postgresql, h2");
    assertThatThrownBy(KillableDatabase::mariaDb).hasMessageContaining("mariadb is left out");
    assertThatThrownBy(TestRedis::uri).hasMessageContaining("redis is left out");
    assertThatThrownBy(KillableRedis::start).hasMessageContaining("redis is left out");
  }
}
