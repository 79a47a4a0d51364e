package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.BackgroundService;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TcpProxy;
import dev.holdfast.testing.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** An instance that fires schedules, and whose connections go silent. */
public abstract class ScheduleCutContract extends ScheduleTests {
  private static final Duration TAKE_OVER = Duration.ofSeconds(3);
  private static final Duration POLL = Duration.ofMillis(50);

  protected ScheduleCutContract(
      TestDatabase database, BiFunction<DataSource, Clock, Schedules> open) {
    super(database, open);
  }

  private void awaitFired() {
    EventContract.await(
        () -> "the schedule must fire, fires were " + fires("hourly"),
        () -> fires("hourly").equals(List.of("2024-03-25T13:00:00Z")));
  }

  @Test
  void schedulesFireOnOtherInstance() {
    schedules.put(hourly());
    clock.set(Instant.parse("2024-03-25T13:00:00Z"));
    TcpProxy proxy = TcpProxy.before(schema.url());
    // the proxy is closed first: drivers may wait for a silent connection when they close it
    try (HikariDataSource pool = Pools.of(proxy.url(), schema.user(), schema.password(), 2);
        proxy) {
      Schedules cutOff = open(pool).takeOverAfter(TAKE_OVER);
      proxy.holdAfter("UPDATE holdfast_schedule SET");
      Thread thread = new Thread(cutOff::fireDue, "cut off");
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((ended, failure) -> {});
      thread.start();
      EventContract.await(() -> "the connection must go silent", proxy::isHolding);
      try (BackgroundService runner = schedules.takeOverAfter(TAKE_OVER).runner(POLL)) {
        runner.start();
        awaitFired();
        EventContract.await(() -> "healthy, was " + runner.health(), () -> isUp(runner));
      }
    }
  }

  @Test
  void runnerRecoversFromSilentConnections() {
    schedules.put(hourly());
    TcpProxy proxy = TcpProxy.before(schema.url());
    try (HikariDataSource pool = Pools.of(proxy.url(), schema.user(), schema.password(), 2);
        proxy;
        BackgroundService runner = open(pool).takeOverAfter(Duration.ofSeconds(1)).runner(POLL)) {
      runner.start();
      awaitChecked(runner);
      EventContract.await(() -> "healthy, was " + runner.health(), () -> isUp(runner));
      proxy.hold();
      EventContract.await(() -> "must say that nothing is looked at", () -> !isUp(runner));
      clock.set(Instant.parse("2024-03-25T13:00:00Z"));
      awaitFired();
      EventContract.await(() -> "healthy, was " + runner.health(), () -> isUp(runner));
    }
  }

  @Test
  void closeKeepsItsTimeoutDuringOutage() throws InterruptedException {
    AtomicBoolean goSilent = new AtomicBoolean();
    CountDownLatch looking = new CountDownLatch(1);
    TcpProxy proxy = TcpProxy.before(schema.url());
    // the proxy is closed first: drivers may wait for a silent connection when they close it
    try (HikariDataSource pool = Pools.of(proxy.url(), schema.user(), schema.password(), 2);
        proxy) {
      BackgroundService runner =
          open(InterceptingDataSource.of(
                  pool,
                  (connection, sql) -> {
                    if (goSilent.getAndSet(false)) {
                      proxy.hold();
                      looking.countDown();
                    }
                  }))
              .runner(POLL);
      runner.start();
      awaitChecked(runner);
      EventContract.await(() -> "healthy, was " + runner.health(), () -> isUp(runner));
      goSilent.set(true);
      EventContract.await(looking);
      long began = System.nanoTime();
      assertThat(runner.stop(Duration.ofMillis(100))).isFalse();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(9));
      assertThat(isUp(runner)).isFalse();
      proxy.letGo();
      assertThat(runner.stop(EventContract.LIMIT)).isTrue();
    }
  }
}
