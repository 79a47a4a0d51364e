package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Threads that share the wrapped data source with the actors, and are none. */
final class OtherThreadsIT {
  private Counter counter;
  private RaceDataSource wrapped;
  private ScheduledExecutorService poller;
  private volatile boolean polling;
  private final AtomicInteger polls = new AtomicInteger();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void open() {
    counter = Counter.onPostgreSql();
    counter.schema().execute("create table jobs(id int primary key, tries int)");
    counter.schema().execute("insert into jobs values (1, 0)");
    wrapped = RaceDataSource.wrap(counter.dataSource());
    poller = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "poller"));
  }

  @AfterEach
  void close() throws InterruptedException {
    poller.shutdownNow();
    poller.awaitTermination(1, TimeUnit.MINUTES);
    counter.close();
  }

  /** As often as a machine can, which meets every moment of a run sooner or later. */
  private void poll(String... sql) {
    polling = true;
    var unused = poller.scheduleWithFixedDelay(() -> pollOnce(sql), 0, 1, TimeUnit.MILLISECONDS);
  }

  private void pollOnce(String... sql) {
    try {
      Counter.run(wrapped, sql);
      polls.incrementAndGet();
    } catch (SQLException | RuntimeException | Error failure) {
      failures.add(failure);
    }
  }

  private Race rightly() {
    return Race.create(wrapped)
        .actors(
            2,
            ds -> {
              awaitPoll();
              Counter.up(wrapped);
            });
  }

  /** Of two that end from now on, the second has begun within this run. */
  private void awaitPoll() {
    int before = polls.get();
    while (polling && failures.isEmpty() && polls.get() < before + 2) {
      LockSupport.parkNanos(100_000);
    }
  }

  @Test
  void passesPollerThrough() {
    RaceReport alone = rightly().explore();
    poll("select id from jobs where tries < 5");
    RaceReport beside = rightly().explore();

    assertThat(beside.hasFinding()).as(beside.text()).isFalse();
    assertThat(beside.isExhaustive()).as(beside.text()).isTrue();
    assertThat(beside.runs()).isEqualTo(alone.runs());
    assertThat(beside.text())
        .contains(
            "threads that belong to no actor used the data source and were not controlled: poller")
        .doesNotContain("WARNING");
    assertThat(failures).isEmpty();
    assertThat(polls).hasPositiveValue();
  }

  @Test
  void aBugIsFoundBesideAPoller() {
    poll("select id from jobs where tries < 5");
    RaceReport report =
        Race.create(wrapped).actors(2, ds -> Counter.upByReading(wrapped)).explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    assertThat(report.text()).contains("reproduced  10/10").doesNotContain("jobs");
    assertThat(failures).isEmpty();
  }

  @Test
  void aThreadThatWritesBesideTheActorsIsNamed() {
    poll("update jobs set tries = tries + 1");

    assertThatThrownBy(() -> rightly().explore())
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContainingAll(
            "changed, but by no statement that the race finder saw: jobs",
            "These threads used the data source, and no actor started them: poller",
            "holdfast.worker.enabled=false");
    assertThat(failures).isEmpty();
  }

  @Test
  void foreignThreadIsNotActor() throws Exception {
    ExecutorService older = Executors.newSingleThreadExecutor(task -> new Thread(task, "older"));
    try {
      older.submit(() -> {}).get();

      assertThatThrownBy(
              () -> Race.create(wrapped).actors(2, ds -> older.submit(() -> up()).get()).explore())
          .isInstanceOf(RaceSetupException.class)
          .hasMessageContainingAll("has made no step that the race finder could see", ": older.");
    } finally {
      older.shutdownNow();
    }
  }

  private @Nullable Void up() throws SQLException {
    Counter.up(wrapped);
    return null;
  }

  @Test
  void actorDataSourceWorksInAnyThread() {
    ThreadPoolExecutor older = (ThreadPoolExecutor) Executors.newFixedThreadPool(2);
    try {
      older.prestartAllCoreThreads();
      RaceReport report =
          Race.create(wrapped)
              .actors(
                  2,
                  ds ->
                      older
                          .submit(
                              () -> {
                                Counter.upByReading(ds);
                                return null;
                              })
                          .get())
              .explore();

      assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
    } finally {
      older.shutdownNow();
    }
  }

  @Test
  void aThreadThatAnActorStartsIsFollowed() {
    RaceReport report =
        Race.create(wrapped)
            .actors(
                2,
                ds -> {
                  Thread started = new Thread(() -> upByReading());
                  started.start();
                  started.join();
                })
            .explore();

    assertThat(report.anomaly()).as(report.text()).contains("LOST UPDATE");
  }

  private void upByReading() {
    try {
      Counter.upByReading(wrapped);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
