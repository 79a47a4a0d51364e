package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections that the race finder does not control, or does not get, are told. */
final class UncontrolledIT {
  private Counter counter;

  @BeforeEach
  void open() {
    counter = Counter.onPostgreSql();
  }

  @AfterEach
  void close() {
    counter.close();
  }

  private static void refuses(Race race, String... words) {
    assertThatThrownBy(race::explore)
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void anActorThatUsesAnotherDataSourceIsNamed() {
    DataSource another = counter.schema().unpooled();

    refuses(
        counter.race().actor("Ana", Counter::up).actor("Ben", ds -> Counter.up(another)),
        "Ben has made no step that the race finder could see",
        "RaceDataSource.wrap");
  }

  @Test
  void namesActorsOnOtherDataSource() {
    DataSource another = counter.schema().unpooled();

    refuses(
        counter.race().actors(2, ds -> Counter.up(another)),
        "A has made no step that the race finder could see",
        "RaceDataSource.wrap");
  }

  @Test
  void aTableThatAnActorChangesUnseenIsNamed() {
    DataSource another = counter.schema().unpooled();
    counter.schema().execute("create table log(line varchar(20))");

    refuses(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  Counter.up(ds);
                  Counter.run(another, "insert into log values ('up')");
                }),
        "changed, but by no statement that the race finder saw: log",
        "RaceDataSource.wrap");
    assertThat(counter.schema().count("select count(*) from log")).isZero();
  }

  @Test
  void namesUnknownConnectionThatWaits() {
    DataSource another = counter.schema().unpooled();

    refuses(
        counter
            .race()
            .stepTimeout(Duration.ofSeconds(2))
            .actor("Ana", Counter::up)
            .actor(
                "Ben",
                ds -> {
                  try (Connection connection = ds.getConnection()) {
                    connection.setAutoCommit(false);
                    Counter.run(connection, Counter.UP);
                    Counter.up(another);
                    connection.commit();
                  }
                }),
        "the actors do not finish even one after the other (Ana, then Ben)",
        "Ben neither made a step nor ended",
        "an answer that does not come through the data source of the actor");
  }

  @Test
  void anActorThatWaitsForItselfIsNamed() {
    refuses(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  try (Connection one = ds.getConnection();
                      Connection other = ds.getConnection()) {
                    one.setAutoCommit(false);
                    Counter.run(one, Counter.UP);
                    Counter.run(other, Counter.UP);
                    one.commit();
                  }
                }),
        "A waits for itself",
        "a lock that another of its connections holds");
  }

  @Test
  void aStrangersLockIsNamed() throws SQLException {
    try (Connection stranger = counter.schema().unpooled().getConnection()) {
      stranger.setAutoCommit(false);
      Counter.run(stranger, "select pg_advisory_xact_lock(7)");

      refuses(
          counter
              .race()
              .stepTimeout(Duration.ofSeconds(2))
              .actors(2, ds -> Counter.run(ds, "select pg_advisory_xact_lock(7)", Counter.UP)),
          "A waits for a session that belongs to no actor",
          "idle in transaction",
          "pg_advisory_xact_lock(7)");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aPoolThatIsTooSmallIsNamed(int size) {
    DataSource pool = counter.schema().dataSource(size);

    refuses(
        Race.create(pool).stepTimeout(Duration.ofSeconds(2)).actors(2, Counter::upByReading),
        "the pool",
        "two",
        "raise its size (maximumPoolSize) for this test");
  }

  @Test
  void aPoolWithOneForEachAndTwoMoreIsEnough() {
    DataSource pool = counter.schema().dataSource(4);

    assertThat(Race.create(pool).actors(2, Counter::upByReading).explore().anomaly())
        .contains("LOST UPDATE");
  }

  @Test
  void poolTimeoutIsNoRace() {
    HikariConfig config = new HikariConfig();
    config.setDataSource(counter.schema().unpooled());
    config.setMaximumPoolSize(3);
    config.setConnectionTimeout(250);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      refuses(
          Race.create(pool).actors(2, Counter::upByReading),
          "got no connection",
          "raise its size (maximumPoolSize) for this test");
    }
  }

  @Test
  void reclaimsOpenConnection() {
    RaceReport report =
        counter
            .race()
            .actors(
                2,
                ds -> {
                  Connection forgotten = ds.getConnection();
                  forgotten.setAutoCommit(false);
                  Counter.run(forgotten, Counter.UP);
                })
            .explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(counter.value()).isZero();
  }

  @Test
  void namesConnectionKeptForLaterRuns() {
    Connection[] kept = new Connection[1];

    refuses(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  if (kept[0] == null) {
                    kept[0] = ds.getConnection();
                  }
                  Counter.run(kept[0], Counter.UP);
                }),
        "it used a connection that was taken in an earlier run");
  }
}
