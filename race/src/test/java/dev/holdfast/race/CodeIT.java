package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The ways in which code gets and uses its connections. */
final class CodeIT {
  private Counter counter;

  @BeforeEach
  void open() {
    counter = Counter.onPostgreSql();
    counter.schema().execute("create table log(line varchar(20))");
  }

  @AfterEach
  void close() {
    counter.close();
  }

  private static void isFine(RaceReport report) {
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).as(report.text()).isTrue();
  }

  private static void isLost(RaceReport report) {
    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  @Test
  void aPoolBehindTheWrapperIsFine() {
    RaceDataSource wrapped = RaceDataSource.wrap(counter.dataSource());

    isLost(Race.create(wrapped).actors(2, ds -> Counter.upByReading(wrapped)).explore());
    isFine(Race.create(wrapped).actors(2, ds -> Counter.up(wrapped)).explore());
  }

  @Test
  void aPoolThatIsRacedItselfIsFine() {
    isLost(Race.create(counter.dataSource()).actors(2, Counter::upByReading).explore());
    isFine(Race.create(counter.dataSource()).actors(2, Counter::up).explore());
  }

  @Test
  void aPoolBeforeTheWrapperIsRefused() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(RaceDataSource.wrap(counter.schema().unpooled()));
    config.setMaximumPoolSize(4);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      assertThatThrownBy(
              () -> Race.create(pool).actors(2, ds -> Counter.upByReading(pool)).explore())
          .isInstanceOf(RaceSetupException.class)
          .hasMessageContaining("RaceDataSource.wrap");
    }
  }

  @Test
  void severalConnectionsOfAnActorAreFollowed() {
    isLost(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  try (Connection reading = ds.getConnection();
                      Connection writing = ds.getConnection()) {
                    long n = Counter.number(reading, Counter.LOOK);
                    Counter.run(writing, "update counter set n = " + (n + 1) + " where id = 1");
                  }
                })
            .explore());
    isFine(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  try (Connection logging = ds.getConnection();
                      Connection counting = ds.getConnection()) {
                    Counter.run(logging, "insert into log values ('up')");
                    Counter.run(counting, Counter.UP);
                  }
                })
            .explore());
  }

  @Test
  void severalTransactionsOfAnActorAreFollowed() {
    isLost(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  long n;
                  try (Connection first = ds.getConnection()) {
                    first.setAutoCommit(false);
                    n = Counter.number(first, Counter.LOOK + " for update");
                    first.commit();
                    Counter.run(first, "update counter set n = " + (n + 1) + " where id = 1");
                    first.commit();
                  }
                })
            .explore());
    isFine(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  Counter.up(ds);
                  Counter.run(ds, "insert into log values ('up')");
                })
            .explore());
  }

  private static void upRepeatably(DataSource ds) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      long n = Counter.number(connection, Counter.LOOK);
      Counter.run(connection, "update counter set n = " + (n + 1) + " where id = 1");
      connection.commit();
    }
  }

  @Test
  void codeThatTriesAgainIsFine() {
    isFine(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  while (true) {
                    try {
                      upRepeatably(ds);
                      return;
                    } catch (SQLException e) {
                      if (SqlError.of(e) != SqlError.SERIALIZATION_FAILURE) {
                        throw e;
                      }
                    }
                  }
                })
            .forbid(SqlError.SERIALIZATION_FAILURE)
            .explore());
  }

  @Test
  void reportsMissingRetry() {
    RaceReport report =
        counter
            .race()
            .actors(2, CodeIT::upRepeatably)
            .forbid(SqlError.SERIALIZATION_FAILURE)
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.FORBIDDEN_ERROR);
  }

  /** What was not counted is forgotten: the error is caught, and nobody hears of it. */
  @Test
  void codeThatSwallowsTheErrorIsFound() {
    RaceReport report =
        counter
            .race()
            .actors(
                2,
                ds -> {
                  try {
                    upRepeatably(ds);
                  } catch (SQLException swallowed) {
                    assertThat(swallowed.getMessage()).contains("could not serialize");
                  }
                })
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.NOT_SERIALIZABLE);
  }

  @Test
  void aHopToAnotherThreadIsFollowed() {
    ExecutorService executor = Executors.newCachedThreadPool();
    RaceDataSource wrapped = RaceDataSource.wrap(counter.dataSource());
    try {
      isLost(
          counter
              .race()
              .actors(2, ds -> CompletableFuture.runAsync(() -> quietly(ds, true), executor).join())
              .explore());
      isLost(
          Race.create(wrapped)
              .actors(
                  2,
                  ds -> CompletableFuture.runAsync(() -> quietly(wrapped, true), executor).join())
              .explore());
      isFine(
          Race.create(wrapped)
              .actors(
                  2,
                  ds ->
                      CompletableFuture.runAsync(() -> quietly(wrapped, false), executor)
                          .thenRunAsync(() -> quietly(wrapped, false), executor)
                          .join())
              .explore());
    } finally {
      executor.shutdownNow();
    }
  }

  private static void quietly(DataSource ds, boolean byReading) {
    try {
      if (byReading) {
        Counter.upByReading(ds);
      } else {
        Counter.up(ds);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
