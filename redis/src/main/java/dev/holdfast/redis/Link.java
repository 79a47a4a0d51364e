package dev.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.LoggerFactory;

/** The connections to one Redis, or to a cluster of them. Thread-safe. */
interface Link extends AutoCloseable {
  /** That which all threads share, and which finds the node of a key by itself. */
  StatefulConnection<byte[], byte[]> shared();

  /**
   * One to the master of this key, for grants that wait for replicas: as long as one waits, those
   * behind it on the same connection do too.
   */
  StatefulRedisConnection<byte[], byte[]> master(byte[] key);

  /** One to each master. */
  List<StatefulRedisConnection<byte[], byte[]>> masters();

  /** A new one that hears of all messages, wherever they are published. */
  StatefulRedisPubSubConnection<byte[], byte[]> listen();

  @Override
  void close();

  /**
   * Without waiting until it is closed. Its client may have closed it before, which is no reason
   * for Lettuce to warn.
   */
  static CompletableFuture<Void> close(StatefulConnection<?, ?> connection) {
    return connection instanceof RedisChannelHandler<?, ?> known && known.isClosed()
        ? CompletableFuture.completedFuture(null)
        : connection.closeAsync();
  }

  /**
   * Waits until it is closed, but not for long: Lettuce warns where the client is shut down before
   * that.
   */
  static void await(CompletableFuture<Void> closing) {
    try {
      closing.get(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LoggerFactory.getLogger(Link.class).debug("a connection is not closed yet", e);
    }
  }
}
