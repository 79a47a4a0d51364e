package dev.holdfast.redis;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.LeaseStoreException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;

/**
 * Acquires, and makes sure that enough replicas have the grant: {@code WAIT} goes with the script
 * in the same round trip. A grant that too few have is released, and is none.
 */
final class ReplicatedGrants {
  private final Link link;
  private final RedisLeaseOptions options;

  ReplicatedGrants(Link link, RedisLeaseOptions options) {
    this.link = link;
    this.options = options;
  }

  /** What the script answered, after enough replicas have what it did. */
  long number(Call acquire, Call release) {
    long answer;
    AsyncCommand<byte[], byte[], Long> wait;
    try {
      StatefulRedisConnection<byte[], byte[]> connection = link.master(acquire.state());
      wait = waiting();
      try {
        answer = send(connection, acquire, acquire.byDigest(), wait);
      } catch (RedisNoScriptException unknown) {
        wait = waiting();
        answer = send(connection, acquire, acquire.byText(), wait);
      }
    } catch (RedisException e) {
      throw acquire.failure(e);
    }
    if (answer > 0) {
      ensureReplicated(acquire, release, wait);
    }
    return answer;
  }

  private long send(
      StatefulRedisConnection<byte[], byte[]> connection,
      Call acquire,
      AsyncCommand<byte[], byte[], Long> command,
      AsyncCommand<byte[], byte[], Long> wait) {
    connection.dispatch(List.of(command, wait));
    // those before it on this connection may be waiting for replicas
    return acquire.await(command, options.timeout().plus(options.replicaTimeout()));
  }

  private void ensureReplicated(
      Call acquire, Call release, AsyncCommand<byte[], byte[], Long> wait) {
    HoldfastException failure;
    try {
      long replicas = acquire.await(wait, options.replicaTimeout().plus(options.timeout()));
      if (replicas >= options.replicas()) {
        return;
      }
      failure = tooFew(acquire, replicas);
    } catch (HoldfastException e) {
      failure = e;
    } catch (RedisException e) {
      failure = acquire.failure(e);
    }
    try {
      release.number(link.shared(), options.timeout());
    } catch (HoldfastException e) {
      failure.addSuppressed(e);
    }
    throw failure;
  }

  private LeaseStoreException tooFew(Call acquire, long replicas) {
    return new LeaseStoreException(
        acquire.what(),
        options.replicas()
            + " replicas must have the grant within "
            + options.replicaTimeout()
            + ", but "
            + replicas
            + " had it, so it was released; look at INFO replication, or ask for fewer",
        true,
        null);
  }

  private AsyncCommand<byte[], byte[], Long> waiting() {
    Duration within = options.replicaTimeout();
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(options.replicas()).add(within.toMillis());
    return new AsyncCommand<>(
        new Command<>(CommandType.WAIT, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args));
  }
}
