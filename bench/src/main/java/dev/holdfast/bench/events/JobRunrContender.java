package dev.holdfast.bench.events;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.stream.IntStream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.configuration.JobRunrConfiguration;
import org.jobrunr.scheduling.BackgroundJob;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;

/**
 * JobRunr with 32 workers and the shortest poll interval that it allows for a database; while there
 * is more to do, its workers fetch it without waiting for the next poll.
 */
final class JobRunrContender implements Contender {
  private static final int WORKERS = 32;
  private static final int CONNECTIONS = 32;
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(5);
  private static final String UNFINISHED =
      "select exists (select from jobrunr_jobs where state in ('ENQUEUED', 'PROCESSING'))";

  private final HikariDataSource pool;
  private final StorageProvider storage;
  private volatile Handled handled = new Handled(0);

  JobRunrContender(TestSchema schema) {
    pool = PeerPool.open(schema, CONNECTIONS);
    storage = SqlStorageProviderFactory.using(pool);
    configuration().initialize();
  }

  /** Public, as it must be for JobRunr to call it. */
  public static final class Handler {
    private final Handled handled;

    Handler(Handled handled) {
      this.handled = handled;
    }

    public void handle(String payload) {
      handled.add(1);
    }
  }

  @Override
  public String name() {
    return "JobRunr";
  }

  @Override
  public void enqueue(int events) {
    BackgroundJob.<Handler, String>enqueue(
        IntStream.range(0, events).mapToObj(event -> BatchedSql.PAYLOAD),
        (handler, payload) -> handler.handle(payload));
  }

  @Override
  public Duration drain(int events) throws Exception {
    handled = new Handled(events);
    BackgroundJobServer server =
        configuration()
            .useBackgroundJobServer(
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                    .andName("bench")
                    .andWorkerCount(WORKERS)
                    .andPollInterval(POLL_INTERVAL))
            .initialize()
            .getBackgroundJobServer();
    try {
      return handled.awaitStored(pool, UNFINISHED);
    } finally {
      server.stop();
    }
  }

  private JobRunrConfiguration configuration() {
    return JobRunr.configure().useStorageProvider(storage).useJobActivator(this::activate);
  }

  private <T> T activate(Class<T> type) {
    return type.cast(new Handler(handled));
  }

  @Override
  public void close() {
    JobRunr.destroy();
    pool.close();
  }
}
