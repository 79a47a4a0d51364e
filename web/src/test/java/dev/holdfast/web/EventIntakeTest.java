package dev.holdfast.web;

import static dev.holdfast.web.EventsApi.LATER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.EventsApi.Answer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Many who send events at once, and a database that goes away. */
class EventIntakeTest {
  private static final int CLIENTS = 64;

  private static FailingSource source;
  private static Application application;
  private static EventsApi api;

  @BeforeAll
  static void start() {
    source = new FailingSource();
    application =
        Application.start(
            source.proxy(), "holdfast.worker.enabled=false", "holdfast.schedules.enabled=false");
    api = new EventsApi(application);
    api.later();
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void everybodyGetsTheRightAnswer() throws Exception {
    int rounds = 6;
    int commits = source.commits.get();
    List<Future<Map<String, Answer>>> futures = new ArrayList<>();
    ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    try {
      for (int client = 0; client < CLIENTS; client++) {
        int number = client;
        futures.add(
            clients.submit(
                () -> {
                  Map<String, Answer> answers = new HashMap<>();
                  for (int round = 0; round < rounds; round++) {
                    // eight clients of each key, half of them with another body
                    String key = "shared-" + round + "-" + number / 8;
                    String body = number % 2 == 0 ? LATER : LATER.replace("/a", "/b");
                    answers.put(key, api.put(key, body));
                    answers.put("own-" + round, api.post("/v1/events", LATER));
                    answers.put("bad-" + round, api.post("/v1/events", "{\"target\":{}}"));
                  }
                  return answers;
                }));
      }
      Map<String, List<Answer>> byKey = new HashMap<>();
      for (int client = 0; client < CLIENTS; client++) {
        futures
            .get(client)
            .get()
            .forEach(
                (key, answer) -> byKey.computeIfAbsent(key, k -> new ArrayList<>()).add(answer));
      }
      byKey.forEach(EventIntakeTest::check);
      assertThat(source.commits.get() - commits)
          .as("transactions of those that came together")
          .isLessThan(CLIENTS * rounds * 2);
    } finally {
      clients.shutdownNow();
    }
  }

  private static void check(String key, List<Answer> answers) {
    if (key.startsWith("own")) {
      assertThat(answers).allMatch(answer -> answer.status() == 201);
      assertThat(answers.stream().map(answer -> answer.text("id"))).doesNotHaveDuplicates();
    } else if (key.startsWith("bad")) {
      assertThat(answers).allMatch(answer -> answer.status() == 400);
    } else {
      assertThat(answers.stream().map(Answer::status))
          .containsExactlyInAnyOrder(201, 200, 200, 200, 409, 409, 409, 409);
      assertThat(
              answers.stream()
                  .map(answer -> answer.status() == 409 ? answer.text("event") : answer.text("id"))
                  .distinct())
          .hasSize(1);
    }
  }

  @Test
  void aDatabaseThatIsAwayIsNeverASuccess() {
    source.away = true;
    try {
      Answer away = api.put("away", LATER).problem(503, "unavailable");
      assertThat(away.header("Retry-After")).isNotEmpty();
    } finally {
      source.away = false;
    }
    api.put("away", LATER).is(201);
  }

  @Test
  void lostCommitResponseIsNoSuccess() {
    source.commitLost = true;
    try {
      Answer lost = api.put("lost", LATER).problem(503, "unavailable");
      assertThat(lost.text("detail")).contains("may or may not have taken effect", "same key");
    } finally {
      source.commitLost = false;
    }
    assertThat(api.put("lost", LATER).is(200).text("key")).isEqualTo("lost");
  }

  /** A database that can be cut off, or whose commits happen though nobody hears of it. */
  private static final class FailingSource {
    final AtomicInteger commits = new AtomicInteger();
    volatile boolean away;
    volatile boolean commitLost;

    private final JdbcDataSource database = new JdbcDataSource();

    FailingSource() {
      database.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    DataSource proxy() {
      return proxy(
          DataSource.class,
          (method, arguments) -> {
            if (!method.getName().equals("getConnection")) {
              return method.invoke(database, arguments);
            }
            if (away) {
              throw new SQLException("no route to host", "08001");
            }
            return connection(database.getConnection());
          });
    }

    private Connection connection(Connection connection) {
      return proxy(
          Connection.class,
          (method, arguments) -> {
            Object result = method.invoke(connection, arguments);
            if (method.getName().equals("commit")) {
              commits.incrementAndGet();
              if (commitLost) {
                throw new SQLException("connection reset", "08006");
              }
            }
            return result;
          });
    }

    private interface Calling {
      Object call(Method method, Object[] arguments) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Calling calling) {
      return type.cast(
          Proxy.newProxyInstance(
              FailingSource.class.getClassLoader(),
              new Class<?>[] {type},
              (proxy, method, arguments) -> {
                try {
                  return calling.call(method, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              }));
    }
  }
}
