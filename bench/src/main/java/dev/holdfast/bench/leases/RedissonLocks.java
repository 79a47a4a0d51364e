package dev.holdfast.bench.leases;

import java.util.concurrent.TimeUnit;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson's lock, plain or with a fencing token. */
final class RedissonLocks implements Locks {
  private final RedissonClient client;
  private final boolean fenced;

  RedissonLocks(String uri, boolean fenced) {
    Config config = new Config();
    config.useSingleServer().setAddress(uri);
    this.client = Redisson.create(config);
    this.fenced = fenced;
  }

  @Override
  public void pair(String name) throws InterruptedException {
    if (fenced) {
      RFencedLock lock = client.getFencedLock(name);
      if (lock.tryLockAndGetToken(0, 30, TimeUnit.SECONDS) == null) {
        throw new IllegalStateException("somebody else has it");
      }
      lock.unlock();
    } else {
      RLock lock = client.getLock(name);
      if (!lock.tryLock(0, 30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("somebody else has it");
      }
      lock.unlock();
    }
  }

  @Override
  public void wait(String name, Runnable inside) {
    if (fenced) {
      RFencedLock lock = client.getFencedLock(name);
      lock.lockAndGetToken();
      end(lock, inside);
    } else {
      RLock lock = client.getLock(name);
      lock.lock(30, TimeUnit.SECONDS);
      end(lock, inside);
    }
  }

  private static void end(RLock lock, Runnable inside) {
    try {
      inside.run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
