package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What this module does without the servers, drivers, pool and cache that it does not bring. */
class OptionalDependenciesTest {

  @Test
  void aClockAndActorsNeedNoneOfThem() throws Exception {
    assertThat(callWithout(UseOfClock.class)).isEqualTo("2026-05-17T12:00:01Z");
    assertThat(callWithout(UseOfActors.class)).isEqualTo("[0, 1]");
  }

  @Test
  void anEmbeddedServerNamesWhatIsMissing() {
    assertThatThrownBy(() -> callWithout(UseOfPostgreSql.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("postgresql")
        .hasMessageContaining("add it to the test dependencies")
        .hasMessageContaining("dev.holdfast:holdfast-embedded")
        .hasMessageContaining("HOLDFAST_TEST_POSTGRESQL_URL");
    assertThatThrownBy(() -> callWithout(UseOfRedis.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("dev.holdfast:holdfast-embedded");
  }

  @Test
  void aPoolNamesWhatIsMissing() {
    assertThatThrownBy(() -> callWithout(UseOfPool.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("com.zaxxer:HikariCP");
  }

  static final class UseOfClock implements Callable<Object> {
    @Override
    public Object call() {
      SettableClock clock = new SettableClock(Instant.parse("2026-05-17T12:00:00Z"));
      DataSource none =
          (DataSource)
              Proxy.newProxyInstance(
                  getClass().getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (proxy, method, arguments) -> null);
      clock.over(none);
      clock.advance(Duration.ofSeconds(1));
      return clock.instant().toString();
    }
  }

  static final class UseOfActors implements Callable<Object> {
    @Override
    public Object call() {
      return ConcurrentActors.run(2, actor -> actor).resultsOrThrow().stream()
          .sorted()
          .toList()
          .toString();
    }
  }

  static final class UseOfPostgreSql implements Callable<Object> {
    @Override
    public Object call() {
      return PostgreSqlServer.newFolder();
    }
  }

  static final class UseOfRedis implements Callable<Object> {
    @Override
    public Object call() {
      return RedisServer.start();
    }
  }

  static final class UseOfPool implements Callable<Object> {
    @Override
    public Object call() {
      return new TestDatabase(Engine.H2_IN_MEMORY, () -> new ServerAddress("jdbc:h2:mem:", "", ""))
          .newSchema()
          .dataSource();
    }
  }

  /** The result in a class loader that has nothing optional. */
  private static Object callWithout(Class<? extends Callable<Object>> use) throws Exception {
    Class<?> copy = new LeanClassLoader().loadClass(use.getName());
    var constructor = copy.getDeclaredConstructor();
    constructor.setAccessible(true);
    return ((Callable<?>) constructor.newInstance()).call();
  }

  /** Loads Holdfast's classes anew, and finds no optional dependency. */
  private static final class LeanClassLoader extends ClassLoader {
    private static final List<String> OPTIONAL =
        List.of(
            "com.zaxxer.",
            "dev.holdfast.cache.",
            "dev.holdfast.embedded.",
            "org.h2.",
            "org.mariadb.",
            "org.postgresql.");

    LeanClassLoader() {
      super(OptionalDependenciesTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (OPTIONAL.stream().anyMatch(name::startsWith)) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("dev.holdfast.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
        if (file == null) {
          throw new ClassNotFoundException(name);
        }
        byte[] code = file.readAllBytes();
        return defineClass(name, code, 0, code.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
