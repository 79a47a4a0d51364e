package dev.holdfast.redis;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import dev.holdfast.HoldfastException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A call of a script for one name. It takes one round trip with the digest of the script, and
 * another one with its text if the server does not know it, such as after a restart or SCRIPT
 * FLUSH.
 *
 * <p>Commands go to Lettuce without its synchronous interface, whose proxies take time.
 */
final class ScriptCall {
  private final Script script;
  private final String doing;
  private final Object name;
  private final byte[] state;
  private final Consumer<CommandArgs<byte[], byte[]>> arguments;
  private final RedisErrors errors;

  /**
   * @param doing completes the sentence "… 'a' failed: ", such as {@code acquiring the lease}
   * @param name of what, for people to read
   * @param arguments adds what comes after the key
   */
  ScriptCall(
      Script script,
      String doing,
      Object name,
      byte[] state,
      Consumer<CommandArgs<byte[], byte[]>> arguments,
      RedisErrors errors) {
    this.script = script;
    this.doing = doing;
    this.name = name;
    this.state = state;
    this.arguments = arguments;
    this.errors = errors;
  }

  byte[] state() {
    return state;
  }

  /** What is done to what. */
  String what() {
    return doing + " " + name;
  }

  /** Sends it, and waits for an answer that is a number. */
  long number(StatefulConnection<byte[], byte[]> connection, Duration timeout) {
    return send(connection, timeout, ScriptCall::aNumber);
  }

  /** Sends it, and waits for an answer that is a list. */
  List<Object> list(StatefulConnection<byte[], byte[]> connection, Duration timeout) {
    return send(connection, timeout, ScriptCall::aList);
  }

  static CommandOutput<byte[], byte[], Long> aNumber() {
    return new IntegerOutput<>(ByteArrayCodec.INSTANCE);
  }

  static CommandOutput<byte[], byte[], List<Object>> aList() {
    return new NestedMultiOutput<>(ByteArrayCodec.INSTANCE);
  }

  private <T> T send(
      StatefulConnection<byte[], byte[]> connection,
      Duration timeout,
      Supplier<CommandOutput<byte[], byte[], T>> output) {
    AsyncCommand<byte[], byte[], T> command =
        command(CommandType.EVALSHA, script.sha(), output.get());
    try {
      connection.dispatch(command);
      return await(command, timeout);
    } catch (RedisNoScriptException unknown) {
      command = command(CommandType.EVAL, script.source(), output.get());
      try {
        connection.dispatch(command);
        return await(command, timeout);
      } catch (RedisException e) {
        throw failure(e);
      }
    } catch (RedisException e) {
      throw failure(e);
    } catch (IllegalStateException | RejectedExecutionException e) {
      throw errors.closed(what(), e);
    }
  }

  /** By its digest, for those who send it themselves. */
  <T> AsyncCommand<byte[], byte[], T> byDigest(CommandOutput<byte[], byte[], T> output) {
    return command(CommandType.EVALSHA, script.sha(), output);
  }

  /** By its text, for those who send it themselves. */
  <T> AsyncCommand<byte[], byte[], T> byText(CommandOutput<byte[], byte[], T> output) {
    return command(CommandType.EVAL, script.source(), output);
  }

  private <T> AsyncCommand<byte[], byte[], T> command(
      CommandType type, byte[] name, CommandOutput<byte[], byte[], T> output) {
    CommandArgs<byte[], byte[]> args =
        new CommandArgs<>(ByteArrayCodec.INSTANCE).add(name).add(1).addKey(state);
    arguments.accept(args);
    return new AsyncCommand<>(new Command<>(type, output, args));
  }

  /**
   * Waits for the answer, also where the thread is interrupted: it comes soon, and tells what
   * became of it.
   */
  <T> T await(AsyncCommand<byte[], byte[], T> command, Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return command.get(Math.max(0, deadline - System.nanoTime()), NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      // Lettuce would send it yet where the connection comes back
      command.cancel();
      throw errors.timedOut(what(), timeout);
    } catch (CancellationException e) {
      throw failure(e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw cause instanceof RedisException known ? known : failure(cause == null ? e : cause);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  HoldfastException failure(Throwable cause) {
    return errors.failure(what(), cause);
  }

  HoldfastException tooFewReplicas(String why) {
    return errors.tooFewReplicas(what(), why);
  }
}
