package dev.holdfast.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.LoggerFactory;

/** The connections to a Redis server or cluster. Thread-safe. */
interface RedisConnections extends AutoCloseable {
  int MAX_TRIES = 5;

  /** That which all threads share, and which finds the node of a key by itself. */
  StatefulConnection<byte[], byte[]> shared();

  /** Whether it is certain that nothing can be sent now, though it is not closed. */
  default boolean isCut() {
    return false; // a cluster has many connections, and opens them where they are needed
  }

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
   * Connects. Where Redis refuses at once, Lettuce now and then stumbles over itself and does not
   * tell why: so it is asked again.
   */
  static <C> RedisConnections connect(C client, Function<C, RedisConnections> connecting) {
    for (int tries = 1; ; tries++) {
      try {
        return connecting.apply(client);
      } catch (RedisConnectionException e) {
        boolean stumbled = String.valueOf(e.getCause()).contains("not registered");
        if (tries == MAX_TRIES || !stumbled) {
          throw e;
        }
      }
    }
  }

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
      LoggerFactory.getLogger(RedisConnections.class).debug("a connection is not closed yet", e);
    }
  }
}
