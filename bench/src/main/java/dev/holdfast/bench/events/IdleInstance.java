package dev.holdfast.bench.events;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** An instance of Holdfast, by its defaults, that has nothing to do. */
final class IdleInstance implements AutoCloseable {
  /** What another process schedules: when it did, in microseconds since 1970. */
  static final EventType<Long> SAMPLE = EventType.of("sample", Long.class);

  private static final int CONNECTIONS = 5;
  private static final int SETTLE_SECONDS = 5;
  private static final int PATIENCE_SECONDS = 60;
  private static final Duration SETTLED = Duration.ofSeconds(2);

  private final TestSchema schema;
  private final AtomicLong statements = new AtomicLong();
  private final BlockingQueue<Duration> latencies = new LinkedBlockingQueue<>();
  private final Worker worker;

  IdleInstance(TestSchema schema) throws InterruptedException {
    this.schema = schema;
    DataSource dataSource = schema.dataSource(CONNECTIONS);
    Holdfast.create(dataSource).migrations().migrate();
    DataSource counted =
        InterceptingDataSource.of(dataSource, (connection, sql) -> statements.incrementAndGet());
    this.worker =
        Holdfast.create(counted)
            .worker()
            .handle(
                SAMPLE,
                (scheduledAt, context) ->
                    latencies.add(Duration.of(nowMicros() - scheduledAt, ChronoUnit.MICROS)))
            .start();
    TimeUnit.MILLISECONDS.sleep(SETTLED.toMillis());
  }

  static long nowMicros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** How many statements it sends in a second, for nothing. */
  double statementsPerSecond(Duration time) throws InterruptedException {
    // for some seconds after an event it looks for others that are committed late
    TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
    long before = statements.get();
    TimeUnit.MILLISECONDS.sleep(time.toMillis());
    return (statements.get() - before) * 1e3 / time.toMillis();
  }

  /** From the call that schedules in another process, its commit included, to the handler. */
  Latencies latencies(int samples) throws Exception {
    int warmUp = samples / 4;
    try (SchedulingProcess process = SchedulingProcess.start(schema, warmUp + samples)) {
      List<Duration> all = new ArrayList<>();
      for (int sample = 0; sample < warmUp + samples; sample++) {
        @Nullable Duration latency = latencies.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (latency == null) {
          throw new IllegalStateException("no event came for a minute; " + process.errors());
        }
        all.add(latency);
      }
      return Latencies.of(all.subList(warmUp, all.size()));
    }
  }

  @Override
  public void close() {
    worker.close();
  }
}
