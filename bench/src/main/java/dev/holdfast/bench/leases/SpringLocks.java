package dev.holdfast.bench.leases;

import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's locks in a database. Each thread has a registry of its own, as if it were a
 * process of its own: within one registry a lock of the JVM does the work.
 */
final class SpringLocks implements Locks {
  private final ThreadLocal<JdbcLockRegistry> registry;

  SpringLocks(TestSchema schema, DataSource dataSource) {
    schema.execute(
        "CREATE TABLE int_lock (lock_key char(36), region varchar(100), client_id char(36),"
            + " created_date timestamp NOT NULL, expired_after timestamp NOT NULL,"
            + " PRIMARY KEY (lock_key, region))");
    registry = ThreadLocal.withInitial(() -> registry(dataSource));
  }

  private static JdbcLockRegistry registry(DataSource dataSource) {
    DefaultLockRepository repository = new DefaultLockRepository(dataSource);
    repository.setTransactionManager(new JdbcTransactionManager(dataSource));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    return new JdbcLockRegistry(repository, Duration.ofSeconds(30));
  }

  @Override
  public void pair(String name) {
    wait(name);
  }

  @Override
  public void wait(String name) {
    Lock lock = registry.get().obtain(name);
    lock.lock();
    lock.unlock();
  }
}
