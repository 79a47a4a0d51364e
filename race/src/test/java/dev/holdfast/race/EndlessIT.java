package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Actors that do not end, or that wait in the JVM and not in the database, are told. */
final class EndlessIT {
  private Counter counter;

  @BeforeEach
  void open() {
    counter = Counter.onPostgreSql();
  }

  @AfterEach
  void close() {
    assertThat(counter.value()).as("the table afterwards").isZero();
    counter.close();
  }

  private static void refuses(Race race, String... words) {
    assertThatThrownBy(race::explore)
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void anActorThatNeverEndsAloneIsNoRace() {
    refuses(
        counter
            .race()
            .actor("Ana", Counter::up)
            .actor(
                "Ben",
                ds -> {
                  while (true) {
                    Counter.run(ds, Counter.LOOK);
                  }
                }),
        "the actors do not finish even one after the other (Ana, then Ben)",
        "Ben has made 10000 steps and does not end; the last one was select n from counter",
        "it is not a race");
  }

  @Test
  void anActorThatSleepsAloneIsNoRace() {
    refuses(
        counter
            .race()
            .stepTimeout(Duration.ofSeconds(2))
            .actors(
                2,
                ds -> {
                  Counter.up(ds);
                  new CountDownLatch(1).await();
                }),
        "A neither made a step nor ended for 1 s",
        "its thread is WAITING at dev.holdfast.race.EndlessIT",
        "it is not a race");
  }

  /** Ana tries until nobody has counted meanwhile, but counts on what she has read before. */
  @Test
  void endlessRetryIsLivelock() {
    RaceReport report = tryingForEver().explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.LIVELOCK);
    assertThat(report.text()).hasLineCount(31);
    String token = report.replayToken().orElseThrow();
    assertThat(tryingForEver().replay(token).explore().replayToken()).contains(token);
  }

  private Race tryingForEver() {
    return counter
        .race()
        .actor(
            "Ana",
            ds -> {
              try (Connection connection = ds.getConnection()) {
                long n = Counter.number(connection, Counter.LOOK);
                while (!isCountedFrom(connection, n)) {
                  connection.clearWarnings();
                }
              }
            })
        .actor("Ben", Counter::up);
  }

  private static boolean isCountedFrom(Connection connection, long n) throws SQLException {
    try (var statement = connection.createStatement()) {
      return statement.executeUpdate("update counter set n = n + 1 where id = 1 and n = " + n) > 0;
    }
  }

  @Test
  void endlessWaitIsStuck() {
    RaceReport report =
        counter
            .race()
            .stepTimeout(Duration.ofSeconds(2))
            .actor(
                "Ana",
                ds -> {
                  try (Connection connection = ds.getConnection()) {
                    long before = Counter.number(connection, Counter.LOOK);
                    Counter.run(connection, Counter.UP);
                    if (Counter.number(connection, Counter.LOOK) > before + 1) {
                      new CountDownLatch(1).await();
                    }
                  }
                })
            .actor("Ben", Counter::up)
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.STUCK);
  }

  private static synchronized void oneAtATime(DataSource ds) throws SQLException {
    Counter.upByReading(ds);
  }

  @Test
  void reportsJvmOnlyLock() {
    RaceReport report = counter.race().actors(2, EndlessIT::oneAtATime).explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.JVM_LOCK);
    assertThat(report.text()).contains("Other instances do not share it");
  }

  @Test
  void aLockOfTheJvmIsKnownToo() {
    ReentrantLock lock = new ReentrantLock();
    RaceReport report =
        counter
            .race()
            .actors(
                2,
                ds -> {
                  lock.lock();
                  try {
                    Counter.upByReading(ds);
                  } finally {
                    lock.unlock();
                  }
                })
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.JVM_LOCK);
  }

  @Test
  void locksOfTheJvmMayBeAllowed() {
    RaceReport report = counter.race().actors(2, EndlessIT::oneAtATime).allowJvmLocks().explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).isTrue();
  }

  @Test
  void anActorMayInterruptItself() {
    RaceReport report =
        counter
            .race()
            .actors(
                2,
                ds -> {
                  try (Connection connection = ds.getConnection()) {
                    Thread.currentThread().interrupt();
                    long n = Counter.number(connection, Counter.LOOK);
                    Counter.run(connection, "update counter set n = " + (n + 1) + " where id = 1");
                  }
                  if (!Thread.interrupted()) {
                    throw new IllegalStateException("the interrupt was lost");
                  }
                })
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  @Test
  void endsActorThatCatchesEverything() {
    RaceReport report =
        counter.race().actors(2, EndlessIT::stubbornly).timeLimit(Duration.ofSeconds(3)).explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  @SuppressWarnings({"CatchAndPrintStackTrace", "EmptyCatch"})
  private static void stubbornly(DataSource ds) {
    while (true) {
      try {
        Counter.upByReading(ds);
        return;
      } catch (Throwable tryAgain) {
        // that is what is tried
      }
    }
  }

  @Test
  void anInterruptEndsTheExploration() throws Exception {
    CountDownLatch began = new CountDownLatch(1);
    Throwable[] thrown = new Throwable[1];
    boolean[] kept = new boolean[1];
    Thread explorer =
        new Thread(
            () -> {
              try {
                counter
                    .race()
                    .actors(
                        2,
                        ds -> {
                          Counter.up(ds);
                          began.countDown();
                          new CountDownLatch(1).await();
                        })
                    .explore();
              } catch (Throwable e) {
                thrown[0] = e;
                kept[0] = Thread.currentThread().isInterrupted();
              }
            });
    explorer.start();
    began.await();
    explorer.interrupt();
    explorer.join(4_000);

    assertThat(thrown[0])
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("the race finder was interrupted");
    assertThat(kept[0]).as("still interrupted").isTrue();
  }
}
