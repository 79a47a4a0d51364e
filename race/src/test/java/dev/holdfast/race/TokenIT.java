package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A token makes the same run again, or says why it cannot. */
final class TokenIT {
  private static Counter counter;
  private static String token;

  @BeforeAll
  static void find() {
    counter = Counter.onPostgreSql();
    token = lost().explore().replayToken().orElseThrow();
  }

  @AfterAll
  static void close() {
    counter.close();
  }

  private static Race lost() {
    return counter.race().actors(2, Counter::upByReading);
  }

  private static void refuses(Race race, String... words) {
    assertThatThrownBy(race::explore)
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void theSameRunIsMadeAgain() {
    RaceReport report = lost().replay(token).explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    assertThat(report.replayToken()).contains(token);
  }

  @ParameterizedTest
  @ValueSource(strings = {"HF2-A1B1-", "rubbish", "HF1", "HF1--", "HF1-A1B-SeuSeu", "A2B1"})
  void whatIsNoTokenIsRefused(String text) {
    refuses(lost().replay(text), "is no replay token", "copy the one that begins with HF1-");
  }

  @ParameterizedTest
  @ValueSource(strings = {"HF1-Z1-Seu", "HF1-A1Z1-SeuSeu"})
  void aTokenOfARaceWithMoreActorsIsRefused(String text) {
    refuses(lost().replay(text), "with more actors: 26 or more, and here are 2");
  }

  @Test
  void aTokenOfAnotherRaceIsRefused() {
    refuses(lost().replay("HF1-A99999999-Seu"), "replay token no longer matches the code");
  }

  @Test
  void replayShowsDiffOfSteps() {
    refuses(
        counter.race().actors(2, Counter::up).replay(token),
        "the replay token no longer matches the code",
        "was another SELECT, is now A: " + Counter.UP,
        "Explore again without the token");
  }

  @Test
  void codeThatWaitsNowIsShownWithADiff() {
    refuses(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  try (var connection = ds.getConnection()) {
                    connection.setAutoCommit(false);
                    long n = Counter.number(connection, Counter.LOOK + " for update");
                    Counter.run(connection, "update counter set n = " + (n + 1) + " where id = 1");
                    connection.commit();
                  }
                })
            .replay(token),
        "the replay token no longer matches the code",
        "for update");
  }

  @Test
  void aHugeResultIsShownShort() {
    RaceReport report =
        counter
            .race()
            .actors(
                2,
                ds -> {
                  Counter.run(ds, "select repeat('x', 100000) from generate_series(1, 20)");
                  Counter.upByReading(ds);
                })
            .explore();

    assertThat(report.anomaly()).contains("LOST UPDATE");
    assertThat(report.text()).hasSizeLessThan(20_000);
    assertThat(report.html()).hasSizeLessThan(200_000);
  }

  @Test
  void rejectsLargeTableOnlyIfChanged() {
    counter
        .schema()
        .execute("create table history as select n from generate_series(1, 20001) as numbers(n)");
    try {
      assertThat(lost().explore().anomaly()).contains("LOST UPDATE");
      refuses(
          counter
              .race()
              .actors(2, ds -> Counter.run(ds, "update history set n = n + 1 where n = 7")),
          "at most 20000 rows",
          "history",
          "a database with fewer rows");
    } finally {
      counter.schema().execute("drop table history");
    }
  }
}
