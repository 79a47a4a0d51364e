package dev.holdfast.bench.leases;

import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock with the database's time, as its documentation recommends. */
final class ShedLocks implements Locks {
  private final LockProvider provider;
  private final Consumer<Runnable> releasing;

  /** Waits for the disk with its acquisitions only. */
  ShedLocks(TestSchema schema, UnflushedReleases dataSource) {
    this(schema, dataSource, dataSource::release);
  }

  /** Waits for the disk with both. */
  ShedLocks(TestSchema schema, DataSource dataSource) {
    this(schema, dataSource, Runnable::run);
  }

  private ShedLocks(TestSchema schema, DataSource dataSource, Consumer<Runnable> releasing) {
    this.releasing = releasing;
    schema.execute(
        "CREATE TABLE IF NOT EXISTS shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
            + " locked_at timestamp NOT NULL, locked_by varchar(255) NOT NULL)");
    provider =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(dataSource))
                .usingDbTime()
                .build());
  }

  @Override
  public void pair(String name) {
    SimpleLock lock =
        provider
            .lock(new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO))
            .orElseThrow();
    releasing.accept(lock::unlock);
  }
}
