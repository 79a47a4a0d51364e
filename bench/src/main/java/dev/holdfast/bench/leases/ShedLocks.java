package dev.holdfast.bench.leases;

import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock with the database's time, as its documentation recommends. */
final class ShedLocks implements Locks {
  private final LockProvider provider;

  ShedLocks(TestSchema schema, DataSource dataSource) {
    schema.execute(
        "CREATE TABLE shedlock (name varchar(64) PRIMARY KEY, lock_until timestamp NOT NULL,"
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
    provider
        .lock(new LockConfiguration(Instant.now(), name, Duration.ofSeconds(30), Duration.ZERO))
        .orElseThrow()
        .unlock();
  }
}
