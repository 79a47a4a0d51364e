package dev.holdfast.bench.events;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How long an idle db-scheduler, by its defaults but for the polling interval, takes to start what
 * somebody else schedules for now.
 *
 * <p>Its immediate execution does not help here: it is only for what the same scheduler schedules.
 */
final class DbSchedulerLatency {
  static final Duration DEFAULT_POLLING = Duration.ofSeconds(10);
  static final Duration FASTEST_POLLING = Duration.ofMillis(100);
  private static final int CONNECTIONS = 10;
  private static final int PATIENCE_SECONDS = 60;
  private static final Duration MIN_DELAY = Duration.ofMillis(50);

  private DbSchedulerLatency() {}

  /**
   * Schedules events one by one at random times, on the average some ten in a polling interval, so
   * that they fall evenly into it.
   */
  static Latencies measure(TestSchema schema, Duration polling, int samples)
      throws InterruptedException {
    DbSchedulerContender.createTables(schema);
    AtomicLongArray scheduledAt = new AtomicLongArray(samples);
    CountDownLatch all = new CountDownLatch(samples);
    Queue<Duration> latencies = new ConcurrentLinkedQueue<>();
    OneTimeTask<Integer> task =
        Tasks.oneTime("sample", Integer.class)
            .execute(
                (instance, context) -> {
                  long now = System.nanoTime();
                  latencies.add(Duration.ofNanos(now - scheduledAt.get(instance.getData())));
                  all.countDown();
                });
    try (HikariDataSource pool = PeerPool.open(schema, CONNECTIONS)) {
      Scheduler scheduler =
          Scheduler.create(pool, task)
              .pollingInterval(polling)
              .schedulerName(new SchedulerName.Fixed("bench"))
              .build();
      SchedulerClient client = SchedulerClient.Builder.create(pool, task).build();
      scheduler.start();
      for (int sample = 0; sample < samples; sample++) {
        TimeUnit.NANOSECONDS.sleep(pause(polling));
        scheduledAt.set(sample, System.nanoTime());
        client.scheduleIfNotExists(task.instance(Integer.toString(sample), sample), Instant.now());
      }
      boolean done = all.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      scheduler.stop();
      if (!done) {
        throw new IllegalStateException(
            "all %d samples must be handled within %d s, %d were not"
                .formatted(samples, PATIENCE_SECONDS, all.getCount()));
      }
    }
    return Latencies.of(List.copyOf(latencies));
  }

  private static long pause(Duration polling) {
    long mean = Math.max(MIN_DELAY.toNanos(), polling.toNanos() / 10);
    return ThreadLocalRandom.current().nextLong(2 * mean);
  }
}
