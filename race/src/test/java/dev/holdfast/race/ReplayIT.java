package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A run that was found is made again from its token. */
class ReplayIT {
  private static TestSchema schema;

  @BeforeAll
  static void create() {
    schema = TestDatabase.postgreSql().newSchema();
    schema.execute(
        "create table counters (name text primary key, amount int not null)",
        "insert into counters values ('visits', 0), ('other', 0)");
  }

  @AfterAll
  static void drop() {
    schema.close();
  }

  private static void count(DataSource dataSource, String read) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      int amount;
      try (ResultSet rows = statement.executeQuery(read)) {
        rows.next();
        amount = rows.getInt(1);
      }
      statement.executeUpdate(
          "update counters set amount = " + (amount + 1) + " where name = 'visits'");
    }
  }

  private static final String READ = "select amount from counters where name = 'visits'";

  /** Three actors, of whom the first has no part in what goes wrong. */
  private static Race race(String read) {
    return Race.create(schema.dataSource())
        .timeLimit(Duration.ofMinutes(1))
        .actor(
            "Zoe",
            ds -> {
              try (Connection connection = ds.getConnection();
                  Statement statement = connection.createStatement()) {
                statement.executeUpdate("update counters set amount = 7 where name = 'other'");
              }
            })
        .actor("Ana", ds -> count(ds, read))
        .actor("Ben", ds -> count(ds, read));
  }

  @Test
  void itIsTheSameAgainThoughItHasFewerActors() {
    RaceReport found = race(READ).explore();
    RaceReport again = race(READ).replay(found.replayToken().orElseThrow()).explore();

    assertThat(found.text()).doesNotContain("Zoe  ").contains("Ana");
    assertThat(again.hasFinding()).isTrue();
    assertThat(again.replayToken()).isEqualTo(found.replayToken());
    assertThat(again.anomaly()).isEqualTo(found.anomaly());
  }

  @Test
  void replayShowsChangedSteps() {
    String token = race(READ).explore().replayToken().orElseThrow();

    assertThatThrownBy(() -> race(READ + " for update").replay(token).explore())
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("no longer matches")
        .hasMessageContaining("was another SELECT, is now Ana: " + READ + " for update");
  }

  @Test
  void aTokenThatIsNoneIsRefused() {
    assertThatThrownBy(() -> race(READ).replay("HF1").explore())
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("is no replay token");
    assertThatThrownBy(() -> race(READ).replay("HF1-A1Z1-").explore())
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("more actors");
  }
}
