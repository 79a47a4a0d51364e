package dev.holdfast.testing.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker whose database goes away and comes back. */
class WorkerOutageIT {
  private static final EventType<String> TEXT = EventType.of("text", String.class);
  private static final EventType<String> OTHER = EventType.of("other", String.class);

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final AtomicBoolean down = new AtomicBoolean();

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  /** Gives no connections while it is down; those that were given before live on. */
  private DataSource failing(DataSource real) {
    return proxy(
        DataSource.class,
        (proxy, method, arguments) -> {
          refuseWhileDown(method.getName().equals("getConnection"));
          Object answer = pass(method, real, arguments);
          return answer instanceof Connection connection ? failing(connection) : answer;
        });
  }

  /** Also those that somebody keeps; only the one that hears goes on, by the driver's own. */
  private Connection failing(Connection real) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          refuseWhileDown(method.getName().startsWith("prepare"));
          return pass(method, real, arguments);
        });
  }

  private void refuseWhileDown(boolean needsIt) throws SQLException {
    if (down.get() && needsIt) {
      throw new SQLException("the database is away", "08001");
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            WorkerOutageIT.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object pass(Method method, Object real, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Test
  void recoversAfterOutageDuringPoll() throws Exception {
    Holdfast others = Holdfast.create(schema.dataSource());
    others.migrations().migrate();
    BlockingQueue<String> handled = new LinkedBlockingQueue<>();
    Worker worker =
        Holdfast.create(failing(schema.dataSource(6)))
            .worker()
            .leaseDuration(Duration.ofSeconds(1))
            .handle(TEXT, (text, context) -> handled.add(text))
            .start();
    try {
      others.events().schedule(TEXT.event("before"));
      assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("before");
      // or it would rightly be handled once more
      await(
          "its end is stored",
          () -> schema.count("select count(*) from holdfast_event_history") == 1);

      down.set(true);
      // every look fails, and the connection that hears is still there
      while (worker.health().isWorking()) {
        others.queues().pauseType(OTHER);
        others.queues().resumeType(OTHER);
      }
      down.set(false);

      await("healthy again", () -> worker.health().isWorking());
      others.events().schedule(TEXT.event("after"));
      assertThat(handled.poll(60, TimeUnit.SECONDS)).isEqualTo("after");
    } finally {
      worker.close();
    }
  }
}
