package dev.holdfast.bench.events;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * db-scheduler in its best mode: lock-and-fetch with 50 threads, a connection for each of them, and
 * of the thresholds that its README and its page on performance name for high throughput those that
 * are fastest here.
 */
final class DbSchedulerContender implements Contender {
  private static final int THREADS = 50;
  private static final int CONNECTIONS = 54;
  private static final double FETCH_MORE_BELOW = 4.0;
  private static final double FETCH_UP_TO = 20.0;
  private static final String UNFINISHED = "select exists (select from scheduled_tasks)";

  private final HikariDataSource pool;
  private final OneTimeTask<String> task;
  private volatile Handled handled = new Handled(0);
  private int lastId;

  DbSchedulerContender(TestSchema schema) {
    createTables(schema);
    pool = PeerPool.open(schema, CONNECTIONS);
    task = Tasks.oneTime("noop", String.class).execute((instance, context) -> handled.add(1));
  }

  /** As in its README, without the index that only users of priorities need. */
  static void createTables(TestSchema schema) {
    schema.execute(
        """
        create table scheduled_tasks (
          task_name text not null,
          task_instance text not null,
          task_data bytea,
          execution_time timestamp with time zone not null,
          picked boolean not null,
          picked_by text,
          last_success timestamp with time zone,
          last_failure timestamp with time zone,
          consecutive_failures int,
          last_heartbeat timestamp with time zone,
          version bigint not null,
          priority smallint,
          primary key (task_name, task_instance))
        """,
        "create index execution_time_idx on scheduled_tasks (execution_time)",
        "create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)");
  }

  @Override
  public String name() {
    return "db-scheduler";
  }

  @Override
  public void enqueue(int events) {
    int first = lastId + 1;
    lastId += events;
    Stream<TaskInstance<?>> instances =
        IntStream.rangeClosed(first, lastId)
            .mapToObj(id -> task.instance(Integer.toString(id), BatchedSql.PAYLOAD));
    SchedulerClient.Builder.create(pool, task).build().scheduleBatch(instances, Instant.now());
  }

  @Override
  public Duration drain(int events) throws Exception {
    handled = new Handled(events);
    Scheduler scheduler =
        Scheduler.create(pool, task)
            .threads(THREADS)
            .pollUsingLockAndFetch(FETCH_MORE_BELOW, FETCH_UP_TO)
            .schedulerName(new SchedulerName.Fixed("bench"))
            .build();
    scheduler.start();
    try {
      return handled.awaitStored(pool, UNFINISHED);
    } finally {
      scheduler.stop();
    }
  }

  @Override
  public void close() {
    pool.close();
  }
}
