package dev.holdfast.redis;

import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.testing.TestRedis;
import dev.holdfast.testing.contract.WorkflowProcessesContract;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Workflows in Redis of several processes. */
class RedisWorkflowProcessesIT {
  private static TestCluster cluster;
  private static TestSentinel sentinel;

  @BeforeAll
  static void start() {
    cluster = TestCluster.start();
    sentinel = TestSentinel.start();
  }

  @AfterAll
  static void stop() {
    sentinel.close();
    cluster.close();
  }

  /** A prefix that other processes find, too. */
  private record RedisPrefix(ProcessesRedis redis) implements WorkflowProcessesContract.Place {
    static RedisPrefix in(String kind, String uri) {
      return new RedisPrefix(ProcessesRedis.open(kind, uri, "test-" + UUID.randomUUID()));
    }

    @Override
    public List<String> main() {
      return redis.main(RedisWorkflowsMain.class);
    }

    @Override
    public IdempotencyStore open() {
      return redis.records();
    }

    @Override
    public boolean transactional() {
      return false;
    }

    @Override
    public boolean deletesByItself() {
      return true;
    }

    @Override
    public void close() {
      redis.close();
    }
  }

  @Nested
  class OnOneRedis extends WorkflowProcessesContract {
    OnOneRedis() {
      super(() -> RedisPrefix.in("single", TestRedis.uri().toString()));
    }
  }

  @Nested
  class OnACluster extends WorkflowProcessesContract {
    OnACluster() {
      super(() -> RedisPrefix.in("cluster", cluster.uri()));
    }
  }

  @Nested
  class WithASentinel extends WorkflowProcessesContract {
    WithASentinel() {
      super(() -> RedisPrefix.in("single", sentinel.uri()));
    }
  }
}
