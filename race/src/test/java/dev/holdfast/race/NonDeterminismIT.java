package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Code that does not do the same in each run is named, and is never taken for a race. */
final class NonDeterminismIT {
  private Counter counter;

  @BeforeEach
  void open() {
    counter = Counter.onPostgreSql();
    counter.schema().execute("create table notes(id varchar(60), n bigint)");
  }

  @AfterEach
  void close() {
    counter.close();
  }

  private static void isNamed(Race race, String... words) {
    assertThatThrownBy(race::explore)
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("the code is not deterministic")
        .satisfies(
            refused ->
                List.of(words).forEach(word -> assertThat(refused).hasMessageContaining(word)));
  }

  /** It settles, so it can be explored; but what goes wrong before that was not looked at. */
  private static void isWarnedOf(Race race, String words) {
    RaceReport report = race.explore();
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.text()).contains("WARNING").contains(words);
  }

  private static void isFine(Race race) {
    RaceReport report = race.explore();
    assertThat(report.hasFinding()).as(report.text()).isFalse();
  }

  @Test
  void aCounterThatDecidesIsNamed() {
    AtomicInteger calls = new AtomicInteger();

    isNamed(
        counter
            .race()
            .actors(
                2,
                ds ->
                    Counter.run(ds, calls.getAndIncrement() % 3 == 0 ? Counter.LOOK : Counter.UP)),
        Counter.LOOK,
        Counter.UP,
        "a static field");
  }

  @Test
  void aCounterThatDecidesLaterIsNamed() {
    AtomicInteger calls = new AtomicInteger();

    isWarnedOf(
        counter
            .race()
            .actors(
                2,
                ds ->
                    Counter.run(
                        ds,
                        Counter.LOOK,
                        calls.getAndIncrement() < 6 ? Counter.UP : "delete from notes",
                        Counter.UP)),
        "did not always do the same");
  }

  @Test
  void chanceThatDecidesIsNamed() {
    Random chance = new Random(7);

    isNamed(
        counter
            .race()
            .actors(
                2,
                ds ->
                    Counter.run(
                        ds,
                        Counter.LOOK,
                        chance.nextBoolean() ? Counter.UP : "delete from notes")));
  }

  @Test
  void namesCacheOfEarlierRun() {
    AtomicInteger cache = new AtomicInteger(-1);

    isWarnedOf(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  if (cache.get() < 0) {
                    Counter.run(ds, Counter.LOOK);
                    cache.set(0);
                  }
                  Counter.run(ds, "update counter set n = " + (cache.get() + 1));
                }),
        "only while it is empty were not explored");
  }

  @Test
  void aUuidInATextIsNotCompared() {
    isFine(
        counter
            .race()
            .actors(
                2,
                ds ->
                    Counter.run(
                        ds,
                        Counter.UP,
                        "insert into notes values ('note-" + UUID.randomUUID() + "', 1)")));
  }

  @Test
  void aMomentInANumberIsNotCompared() {
    isFine(
        counter
            .race()
            .actors(
                2,
                ds ->
                    Counter.run(
                        ds,
                        Counter.UP,
                        "insert into notes values ('x', " + System.nanoTime() + ")")));
  }

  @Test
  void aChanceThatIsWrittenIsNotCompared() {
    Random chance = new Random(7);

    isFine(
        counter
            .race()
            .actors(
                2,
                ds ->
                    Counter.run(
                        ds,
                        Counter.UP,
                        "insert into notes values ('" + chance.nextInt(1000) + "', 1)")));
  }

  @Test
  void aRaceBesideAUuidIsFound() {
    RaceReport report =
        counter
            .race()
            .actors(
                2,
                ds -> {
                  Counter.run(ds, "insert into notes values ('" + UUID.randomUUID() + "', 1)");
                  Counter.upByReading(ds);
                })
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  @Test
  void namesRandomRowCount() {
    Random chance = new Random(1);

    isNamed(
        counter
            .race()
            .actors(
                2,
                ds -> {
                  Counter.run(ds, Counter.UP);
                  try (var connection = ds.getConnection();
                      var batch =
                          connection.prepareStatement("insert into notes values ('x', 1)")) {
                    for (int i = chance.nextInt(50); i >= 0; i--) {
                      batch.addBatch();
                    }
                    batch.executeBatch();
                  }
                }));
  }

  @Test
  void ignoresRandomResult() {
    AtomicInteger calls = new AtomicInteger();

    isFine(
        counter
            .race()
            .actorsWithResult(
                2,
                ds -> {
                  Counter.up(ds);
                  return "call " + calls.incrementAndGet();
                }));
  }

  /** The first runs do not show it; the later ones must not be taken for a race. */
  @Test
  void aResultThatChangesLaterIsNamed() {
    AtomicInteger calls = new AtomicInteger();

    isWarnedOf(
        counter
            .race()
            .actorsWithResult(
                2,
                ds -> {
                  Counter.up(ds);
                  return calls.incrementAndGet() < 6 ? "early" : "late";
                }),
        "did not always do the same");
  }
}
