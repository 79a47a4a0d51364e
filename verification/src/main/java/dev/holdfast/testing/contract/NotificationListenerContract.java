package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.NotificationSupport;
import dev.holdfast.internal.sql.PostgreSqlNotifications;
import dev.holdfast.testing.TcpProxy;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * Workers on a database whose connections can listen: PostgreSQL. Where nothing arrives they look,
 * and their health says so.
 */
public abstract class NotificationListenerContract extends EventContract {
  private static final String LISTENING = "listening";
  private static final String POLLING = "polling";

  private static final int POOL = 6;

  protected NotificationListenerContract(TestDatabase database) {
    super(database);
  }

  private Worker startOn(DataSource dataSource) {
    return start(
        Holdfast.create(dataSource),
        worker -> worker.leaseDuration(Duration.ofHours(1)).handle(TEXT, (payload, context) -> {}));
  }

  private static void await(Worker worker, String notifications) {
    await(
        () -> worker.health() + " must be " + notifications,
        () -> {
          Health health = worker.health();
          boolean told =
              health.issues().stream().anyMatch(text -> text.message().contains("listening"));
          return notifications.equals(health.details().get("notifications"))
              && told == notifications.equals(POLLING)
              && worker.health().isWorking();
        });
  }

  private void assertHandles() {
    awaitStatus(schedule(TEXT.event("a")), EventStatus.COMPLETED);
  }

  @Test
  void pollsWhileListenerIsDisconnected() {
    // a pool of its own: the lost connection goes back to it
    FaultyDataSource faulty = new FaultyDataSource(schema.dataSource(POOL));
    Worker worker = startOn(faulty.dataSource());
    await(worker, LISTENING);

    faulty.failing("createStatement"); // by which LISTEN is sent
    schema.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query = 'LISTEN"
            + " holdfast_event'");
    await(worker, POLLING);
    assertHandles();

    faulty.failing("nothing");
    await(worker, LISTENING);
    assertHandles();
  }

  @Test
  void listensAgainAfterDisconnect() {
    try (TcpProxy proxy = TcpProxy.before(schema.url());
        HikariDataSource pool = poolOn(proxy.url())) {
      Worker worker = startOn(pool);
      try {
        await(worker, LISTENING);
        proxy.cut();
        await(
            () -> "the cut must be noticed",
            () -> POLLING.equals(worker.health().details().get("notifications")));
        assertHandles();
        await(worker, LISTENING);
        await(
            () -> worker.health() + " must have no troubles",
            () -> worker.health().issues().isEmpty());
      } finally {
        worker.stop(LIMIT);
      }
    }
  }

  private HikariDataSource poolOn(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setUsername(schema.user());
    config.setPassword(schema.password());
    config.setMaximumPoolSize(POOL);
    return new HikariDataSource(config);
  }

  @Test
  void aWorkerBehindAPoolerLooksAndSaysSo() throws SQLException {
    try (Connection another = schema.unpooled().getConnection()) {
      Worker worker = startOn(behindAPooler(schema.dataSource(), another));
      try {
        assertHandles();
        await(worker, POLLING);
        assertThat(worker.health().issues()).anyMatch(text -> text.message().contains("pooler"));
        assertHandles();
      } finally {
        worker.stop(LIMIT);
      }
    }
  }

  /**
   * As behind a pooler that gives each transaction another connection: the one that was told to
   * listen is not the one on which somebody waits.
   */
  private static DataSource behindAPooler(DataSource real, Connection another) {
    return JdbcProxy.of(
        DataSource.class,
        (proxy, method, arguments) ->
            JdbcProxy.pass(method, real, arguments) instanceof Connection connection
                ? listeningElsewhere(connection, another)
                : null);
  }

  private static Connection listeningElsewhere(Connection connection, Connection another) {
    return JdbcProxy.of(
        Connection.class,
        (proxy, method, arguments) -> {
          Object answer = JdbcProxy.pass(method, connection, arguments);
          return method.getName().equals("createStatement") && answer instanceof Statement statement
              ? listeningElsewhere(statement, another)
              : answer;
        });
  }

  private static Statement listeningElsewhere(Statement statement, Connection another) {
    return JdbcProxy.of(
        Statement.class,
        (proxy, method, arguments) -> {
          if (arguments != null && String.valueOf(arguments[0]).startsWith("LISTEN")) {
            try (Statement elsewhere = another.createStatement()) {
              return JdbcProxy.pass(method, elsewhere, arguments);
            }
          }
          return JdbcProxy.pass(method, statement, arguments);
        });
  }

  @Test
  void announcesScheduledAndReplayedEvents() throws SQLException {
    String queue = "of-" + schema.name();
    try (Connection connection = schema.unpooled().getConnection()) {
      PostgreSqlNotifications.listen(connection, NotificationSupport.CHANNEL);
      EventId id = schedule(TEXT.event("a").queue(queue));
      awaitSignal(connection, queue);
      events.cancel(id, 1, "not needed");
      assertThat(events.replay(id)).isInstanceOf(EventReplayResult.Replayed.class);
      awaitSignal(connection, queue);
    }
  }

  @Test
  void announcesOtherClaimableEvents() throws SQLException {
    Event<String> event = TEXT.event("a").queue("of-nobody");
    EventId later = schedule(event.delay(Duration.ofHours(1)));
    EventId first = schedule(event.orderingKey("a"));
    Worker worker = startOn(schema.dataSource(POOL));
    await(worker, LISTENING);
    try (Connection connection = schema.unpooled().getConnection()) {
      PostgreSqlNotifications.listen(connection, NotificationSupport.CHANNEL);
      assertThat(events.reschedule(later, 1, Instant.parse("2026-01-01T00:00:00Z")))
          .isEqualTo(new EventChangeResult.Applied(2));
      awaitLook(connection);
      assertThat(events.cancel(first, 1, "not needed")).isEqualTo(new EventChangeResult.Applied(2));
      awaitLook(connection);
      worker.stop(LIMIT);
      awaitLook(connection);
    }
  }

  private static void awaitLook(Connection connection) throws SQLException {
    awaitText(connection, "look");
  }

  private static void awaitSignal(Connection connection, String queue) throws SQLException {
    awaitText(connection, "queue " + queue);
  }

  private static void awaitText(Connection connection, String text) throws SQLException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!PostgreSqlNotifications.receive(connection, Duration.ofMillis(100)).contains(text)) {
      assertThat(System.nanoTime()).as("it must be announced").isLessThan(end);
    }
  }

  @Test
  void stopsListeningOnPooledConnections() throws SQLException {
    DataSource pool = schema.dataSource(POOL);
    Worker worker = startOn(pool);
    await(worker, LISTENING);
    worker.stop(LIMIT);
    List<Connection> all = new ArrayList<>();
    try {
      for (int i = 0; i < POOL; i++) {
        all.add(pool.getConnection());
      }
      for (Connection connection : all) {
        assertThat(Sql.number(connection, "select count(*) from pg_listening_channels()")).isZero();
      }
    } finally {
      for (Connection connection : all) {
        connection.close();
      }
    }
  }
}
