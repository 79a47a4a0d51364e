package dev.holdfast.bench.events;

import static java.util.Map.entry;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreSupport;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/**
 * Quartz with its clustered JDBC job store, 50 threads, and triggers acquired in batches; an event
 * is a trigger, and the triggers of one bulk share a job.
 */
final class QuartzContender implements Contender {
  private static final String NAME = "bench";
  private static final int BULK = 1000;

  /**
   * Far fewer than threads, and faster for it: all that Quartz does in a cluster waits for one row
   * lock.
   */
  private static final int CONNECTIONS = 6;

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          entry("org.quartz.scheduler.instanceName", NAME),
          entry("org.quartz.scheduler.instanceId", NAME),
          entry("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", "10"),
          entry("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool"),
          entry("org.quartz.threadPool.threadCount", "50"),
          entry("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX"),
          entry(
              "org.quartz.jobStore.driverDelegateClass",
              "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate"),
          entry("org.quartz.jobStore.dataSource", NAME),
          entry("org.quartz.jobStore.isClustered", "true"),
          entry("org.quartz.jobStore.acquireTriggersWithinLock", "true"),
          entry("org.quartz.jobStore.useProperties", "true"));

  private static final String UNFINISHED =
      "select exists (select from qrtz_triggers) or exists (select from qrtz_fired_triggers)";

  private final HikariDataSource pool;
  private final Scheduler scheduler;
  private volatile Handled handled = new Handled(0);
  private int jobs;

  QuartzContender(TestSchema schema) throws IOException, SchedulerException {
    schema.execute(tables());
    pool = PeerPool.open(schema, CONNECTIONS);
    DBConnectionManager.getInstance().addConnectionProvider(NAME, new Pooled(pool));
    Properties properties = new Properties();
    properties.putAll(SETTINGS);
    scheduler = new StdSchedulerFactory(properties).getScheduler();
    scheduler.setJobFactory((bundle, owner) -> context -> handled.add(1));
  }

  /** Only its name is stored; the job factory makes the handlers. */
  private static final class Noop implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  public String name() {
    return "Quartz";
  }

  /** Its own, from its jar. */
  private static String tables() throws IOException {
    try (InputStream script =
        Objects.requireNonNull(JobStoreSupport.class.getResourceAsStream("tables_postgres.sql"))) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Override
  public void enqueue(int events) throws SchedulerException {
    for (int left = events; left > 0; left -= BULK) {
      JobDetail job =
          JobBuilder.newJob(Noop.class).withIdentity("job-" + jobs++).storeDurably().build();
      Set<Trigger> triggers = new HashSet<>();
      for (int event = 0; event < Math.min(left, BULK); event++) {
        triggers.add(
            TriggerBuilder.newTrigger()
                .withIdentity(job.getKey().getName() + "-" + event)
                .usingJobData("payload", BatchedSql.PAYLOAD)
                .withSchedule(
                    SimpleScheduleBuilder.simpleSchedule()
                        .withMisfireHandlingInstructionIgnoreMisfires())
                .startNow()
                .build());
      }
      scheduler.scheduleJobs(Map.of(job, triggers), false);
    }
  }

  @Override
  public Duration drain(int events) throws Exception {
    handled = new Handled(events);
    scheduler.start();
    try {
      return handled.awaitStored(pool, UNFINISHED);
    } finally {
      scheduler.standby();
    }
  }

  @Override
  public void close() {
    try {
      scheduler.shutdown(true);
    } catch (SchedulerException e) {
      throw new IllegalStateException("cannot stop Quartz", e);
    } finally {
      pool.close();
    }
  }

  /** The pool as Quartz wants it. */
  private record Pooled(HikariDataSource pool) implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return pool.getConnection();
    }

    @Override
    public void initialize() {}

    @Override
    public void shutdown() {}
  }
}
