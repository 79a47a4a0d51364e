package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

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
  void aTestOnADatabaseThatIsNotNamedIsSkippedAndSaysWhy() {
    System.setProperty(PROPERTY, "postgresql, h2");

    assertThatCode(TestDatabase::postgreSql).doesNotThrowAnyException();
    assertThatCode(TestDatabase::h2).doesNotThrowAnyException();
    assertThatThrownBy(TestDatabase::mariaDb)
        .isInstanceOf(TestAbortedException.class)
        .hasMessageContaining("mariadb is left out by -Dholdfast.test.databases=postgresql, h2");
    assertThatThrownBy(TestRedis::uri).isInstanceOf(TestAbortedException.class);
    assertThatThrownBy(KillableRedis::start).isInstanceOf(TestAbortedException.class);
    assertThatThrownBy(KillableDatabase::mariaDb).isInstanceOf(TestAbortedException.class);
    assertThatThrownBy(TestDatabase::mySql).isInstanceOf(TestAbortedException.class);
  }
}
