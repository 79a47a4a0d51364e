package dev.holdfast.redis;

import dev.holdfast.HoldfastException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Calls scripts, and makes sure that enough replicas have what they have written: {@code WAIT} goes
 * with the script in the same round trip.
 */
final class ReplicatedCalls {
  /**
   * What happens to a change.
   *
   * @param written whether an answer means that something was
   * @param name what it is called, such as {@code the grant}
   * @param outcome what becomes of it where too few have it, such as {@code so it was released}
   * @param undo makes it so
   */
  record Change<T>(Predicate<T> written, String name, String outcome, Runnable undo) {}

  private final RedisConnections link;
  private final int replicas;
  private final Duration within;
  private final Duration timeout;

  /**
   * @param replicas how many must have it
   * @param within how long they are waited for
   * @param timeout how long Redis is waited for besides
   */
  ReplicatedCalls(RedisConnections link, int replicas, Duration within, Duration timeout) {
    this.link = link;
    this.replicas = replicas;
    this.within = within;
    this.timeout = timeout;
  }

  /** What the script answered, after enough replicas have what it did. */
  <T> T send(ScriptCall call, Supplier<CommandOutput<byte[], byte[], T>> output, Change<T> change) {
    T answer;
    AsyncCommand<byte[], byte[], Long> wait;
    try {
      StatefulRedisConnection<byte[], byte[]> connection = link.master(call.state());
      wait = waiting();
      try {
        answer = send(connection, call, call.byDigest(output.get()), wait);
      } catch (RedisNoScriptException unknown) {
        wait = waiting();
        answer = send(connection, call, call.byText(output.get()), wait);
      }
    } catch (RedisException e) {
      throw call.failure(e);
    }
    if (change.written().test(answer)) {
      ensureReplicated(call, change, wait);
    }
    return answer;
  }

  private <T> T send(
      StatefulRedisConnection<byte[], byte[]> connection,
      ScriptCall call,
      AsyncCommand<byte[], byte[], T> command,
      AsyncCommand<byte[], byte[], Long> wait) {
    connection.dispatch(List.of(command, wait));
    // those before it on this connection may be waiting for replicas
    return call.await(command, timeout.plus(within));
  }

  private void ensureReplicated(
      ScriptCall call, Change<?> change, AsyncCommand<byte[], byte[], Long> wait) {
    HoldfastException failure;
    try {
      long had = call.await(wait, within.plus(timeout));
      if (had >= replicas) {
        return;
      }
      failure = tooFew(call, change, had);
    } catch (HoldfastException e) {
      failure = e;
    } catch (RedisException e) {
      failure = call.failure(e);
    }
    try {
      change.undo().run();
    } catch (HoldfastException e) {
      failure.addSuppressed(e);
    }
    throw failure;
  }

  private HoldfastException tooFew(ScriptCall call, Change<?> change, long had) {
    return call.tooFewReplicas(
        replicas
            + " replicas must have "
            + change.name()
            + " within "
            + within
            + ", but "
            + had
            + " had it, "
            + change.outcome()
            + "; look at INFO replication, or ask for fewer");
  }

  private AsyncCommand<byte[], byte[], Long> waiting() {
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(replicas).add(within.toMillis());
    return new AsyncCommand<>(
        new Command<>(CommandType.WAIT, new IntegerOutput<>(ByteArrayCodec.INSTANCE), args));
  }
}
