package dev.holdfast.bench.leases;

import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's locks in a database. Within one registry a lock of the JVM does much of it.
 */
final class SpringLocks implements Locks {
  /** How long it sleeps between tries by default. */
  static final Duration DEFAULT = Duration.ofMillis(100);

  /** As short as it may be. */
  static final Duration QUICK = Duration.ofMillis(1);

  private final Supplier<JdbcLockRegistry> registry;

  private SpringLocks(Supplier<JdbcLockRegistry> registry) {
    this.registry = registry;
  }

  static void createTable(TestSchema schema) {
    schema.execute(
        "CREATE TABLE int_lock (lock_key char(36), region varchar(100), client_id char(36),"
            + " created_date timestamp NOT NULL, expired_after timestamp NOT NULL,"
            + " PRIMARY KEY (lock_key, region))");
  }

  /** All threads with the same registry, as within a process. */
  static SpringLocks together(DataSource dataSource) {
    JdbcLockRegistry registry = registry(dataSource, DEFAULT);
    return new SpringLocks(() -> registry);
  }

  /** Each thread with a registry of its own, as if it were a process of its own. */
  static SpringLocks apart(DataSource dataSource, Duration betweenTries) {
    return new SpringLocks(ThreadLocal.withInitial(() -> registry(dataSource, betweenTries))::get);
  }

  private static JdbcLockRegistry registry(DataSource dataSource, Duration betweenTries) {
    DefaultLockRepository repository = new DefaultLockRepository(dataSource);
    repository.setTransactionManager(new JdbcTransactionManager(dataSource));
    repository.afterPropertiesSet();
    repository.afterSingletonsInstantiated();
    repository.start();
    JdbcLockRegistry registry = new JdbcLockRegistry(repository, Duration.ofSeconds(30));
    registry.setIdleBetweenTries(betweenTries);
    return registry;
  }

  @Override
  public void pair(String name) {
    wait(name, () -> {});
  }

  @Override
  public void wait(String name, Runnable inside) {
    Lock lock = registry.get().obtain(name);
    lock.lock();
    try {
      inside.run();
    } finally {
      lock.unlock();
    }
  }
}
