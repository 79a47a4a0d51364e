package dev.holdfast.race;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.HoldfastException;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The tests of those who still have JUnit 5.10, in a JVM of their own with that JUnit. */
final class JUnit5IT {

  /** What runs there. */
  static final class Tests {
    static final DataSource DATA_SOURCE = database();

    private static DataSource database() {
      JdbcDataSource dataSource = new JdbcDataSource();
      dataSource.setURL(
          "jdbc:h2:mem:junit5;DB_CLOSE_DELAY=-1;INIT=create table if not exists counter(id int"
              + " primary key, n int)");
      return dataSource;
    }

    @RaceTest
    void loses(Race race) {
      race.given("insert into counter values (1, 0)").actors(2, Counter::upByReading).explore();
    }

    @RaceTest(replay = "rubbish")
    void replays(Race race) {
      race.actors(2, Counter::up).explore();
    }

    @RaceTest
    void forgets(Race race) {
      race.actors(2, Counter::up);
    }

    @Nested
    class Inside {
      @RaceTest
      void passes(Race race) {
        race.given("insert into counter values (1, 0)").actors(2, Counter::up).explore();
      }

      @CrashTest
      void passesCrashes(Crash crash) {
        crash
            .given("insert into counter values (1, 0)")
            .operation(ds -> Counter.run(ds, "update counter set n = 7"))
            .explore();
      }
    }
  }

  @Test
  void theyRunAsWithANewerOne() throws Exception {
    Process java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classPath(),
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--disable-banner",
                "--disable-ansi-colors",
                "--details=tree",
                "--select-class=" + Tests.class.getName())
            .redirectErrorStream(true)
            .start();
    String told = new String(java.getInputStream().readAllBytes(), UTF_8);
    java.waitFor();

    assertThat(told)
        .contains("2 tests successful", "3 tests failed")
        .contains("LOST UPDATE", "'rubbish' is no replay token", "nothing was explored");
  }

  /** All but JUnit, and then the old one. */
  private static String classPath() {
    return Stream.concat(
            Stream.of(
                    Race.class,
                    JUnit5IT.class,
                    HoldfastException.class,
                    NullMarked.class,
                    JdbcDataSource.class)
                .map(JUnit5IT::place),
            List.of(Path.of("target", "junit5", "junit5.jar").toAbsolutePath().toString()).stream())
        .collect(Collectors.joining(File.pathSeparator));
  }

  private static String place(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
