package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.spi.LeaseStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.protocol.CommandArgs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Leases in Redis, by scripts of one round trip.
 *
 * <p>Redis decides alone what is held, by its own clock, and forgets what it had where it is
 * restarted without its data, and what its replicas do not have yet where one of them takes over:
 * then two may hold the same lease. Use it where that costs only time, or check the token where the
 * write happens.
 *
 * <p>It has one connection that all threads share, one more where grants wait for replicas, and one
 * more for each {@link #subscribe}; {@link #close} closes the first two. The client stays the
 * caller's, to be shut down afterwards. Thread-safe.
 */
public final class RedisLeaseStore implements LeaseStore, AutoCloseable {
  private static final byte[] NOBODY = "................".getBytes(US_ASCII);

  private final RedisConnections link;
  private final RedisLeaseOptions options;
  private final LeaseKeys keys;
  private final Duration timeout;
  private final @Nullable ReplicatedCalls replicated;

  private RedisLeaseStore(RedisConnections link, RedisLeaseOptions options) {
    this.link = link;
    this.options = options;
    this.keys = new LeaseKeys(options.prefix());
    this.timeout = options.timeout();
    this.replicated =
        options.replicas() > 0
            ? new ReplicatedCalls(link, options.replicas(), options.replicaTimeout(), timeout)
            : null;
  }

  /** In one Redis, or in one that Sentinel watches, as the client's URI says. */
  public static RedisLeaseStore using(RedisClient client) {
    return using(client, RedisLeaseOptions.DEFAULTS);
  }

  /**
   * In one Redis, or in one that Sentinel watches, as the client's URI says.
   *
   * @throws dev.holdfast.HoldfastException where it cannot be connected to
   */
  public static RedisLeaseStore using(RedisClient client, RedisLeaseOptions options) {
    return connect(Require.notNull(client, "the client"), ServerConnections::new, options);
  }

  /** In a cluster. */
  public static RedisLeaseStore using(RedisClusterClient client) {
    return using(client, RedisLeaseOptions.DEFAULTS);
  }

  /**
   * In a cluster. The client should refresh its view of the cluster by itself ({@code
   * ClusterTopologyRefreshOptions}, periodic and adaptive), so that it learns of new nodes soon.
   *
   * @throws dev.holdfast.HoldfastException where it cannot be connected to
   */
  public static RedisLeaseStore using(RedisClusterClient client, RedisLeaseOptions options) {
    return connect(Require.notNull(client, "the client"), ClusterConnections::new, options);
  }

  private static <C> RedisLeaseStore connect(
      C client, Function<C, RedisConnections> connecting, RedisLeaseOptions options) {
    Require.notNull(options, "the options");
    try {
      return new RedisLeaseStore(RedisConnections.connect(client, connecting), options);
    } catch (RedisException e) {
      throw RedisErrors.OF_LEASES.noConnection(e);
    }
  }

  @Override
  public AcquireResult acquire(Request request) {
    LeaseKey key = request.key();
    byte[] state = keys.state(key);
    Script script = shared(key) ? Script.ACQUIRE_SHARED : Script.ACQUIRE;
    ScriptCall call =
        call(script, "acquiring the lease", key, state, args -> describe(request, args));
    long answer =
        replicated == null
            ? call.number(link.shared(), timeout)
            : replicated.send(
                call, ScriptCall::aNumber, grant(new Ownership(key, request.ownerId()), state));
    return answer > 0
        ? new AcquireResult.Granted(answer)
        : new AcquireResult.Rejected(Duration.ofNanos(-answer * 1000));
  }

  /** A grant that too few replicas have is released, and is none. */
  private ReplicatedCalls.Change<Long> grant(Ownership hold, byte[] state) {
    return new ReplicatedCalls.Change<>(
        answer -> answer > 0,
        "the grant",
        "so it was released",
        () -> releasing(hold, state, null).number(link.shared(), timeout));
  }

  private void describe(Request request, CommandArgs<byte[], byte[]> args) {
    WaitRegistration waiting = request.waitRegistration();
    args.add(who(request)).add(micros(request.duration())).add(memory(request.duration()));
    if (shared(request.key())) {
      args.add(request.target().permits()).add(request.target().capacity());
    }
    if (waiting != null) {
      args.add(micros(waiting.duration())).add(waiting.queued() ? 1 : 0);
    }
  }

  /** As the state keeps it: the owner, nobody who handed it over, the holder. */
  private static byte[] who(Request request) {
    byte[] holder = request.instanceName().getBytes(UTF_8);
    return ByteBuffer.allocate(32 + holder.length)
        .put(Uuids.bytes(request.ownerId()))
        .put(NOBODY)
        .put(holder)
        .array();
  }

  @Override
  public Lease.RenewResult renew(Ownership hold, Duration lease) {
    LeaseKey key = hold.key();
    ScriptCall call =
        call(
            shared(key) ? Script.RENEW_SHARED : Script.RENEW,
            "renewing the lease",
            key,
            keys.state(key),
            args -> args.add(Uuids.bytes(hold.ownerId())).add(micros(lease)).add(memory(lease)));
    return call.number(link.shared(), timeout) == 1
        ? Lease.RenewResult.RENEWED
        : Lease.RenewResult.LOST;
  }

  /** Where grants wait for replicas, nothing is handed over: the successor acquires. */
  @Override
  public ReleaseResult release(Ownership hold, @Nullable Successor successor) {
    Successor next = replicated == null ? successor : null;
    long answer = releasing(hold, keys.state(hold.key()), next).number(link.shared(), timeout);
    if (answer == 0) {
      return new ReleaseResult.Released();
    }
    return answer < 0 ? new ReleaseResult.Lost() : new ReleaseResult.HandedOver(answer);
  }

  private ScriptCall releasing(Ownership hold, byte[] state, @Nullable Successor successor) {
    LeaseKey key = hold.key();
    return call(
        shared(key) ? Script.RELEASE_SHARED : Script.RELEASE,
        "releasing the lease",
        key,
        state,
        args -> {
          args.add(Uuids.bytes(hold.ownerId()));
          if (successor != null) {
            Request next = successor.next();
            args.add(Uuids.bytes(next.ownerId()))
                .add(next.instanceName().getBytes(UTF_8))
                .add(micros(next.duration()))
                .add(memory(next.duration()))
                .add(successor.unlessOthersWait() ? 1 : 0);
          }
        });
  }

  @Override
  public void cancelWait(LeaseKey key, String holder) {
    call(
            Script.WITHDRAW,
            "not waiting any more for the lease",
            key,
            keys.state(key),
            args -> args.add(holder.getBytes(UTF_8)))
        .number(link.shared(), timeout);
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    ScriptCall call =
        call(
            shared(key) ? Script.FORCE_SHARED : Script.FORCE,
            "force-releasing the lease",
            key,
            keys.state(key),
            args -> args.add(options.memory().toMillis()));
    long token = call.number(link.shared(), timeout);
    return token == 0 ? OptionalLong.empty() : OptionalLong.of(token);
  }

  @Override
  public Optional<LeaseRecord> find(LeaseKey key) {
    return Optional.ofNullable(new LeaseFinder(link, keys, timeout).at(key));
  }

  /**
   * Goes through all keys of the server, a thousand at a time: for people, not for programs.
   * Between its round trips leases come and go.
   */
  @Override
  public List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int most) {
    return new LeaseFinder(link, keys, timeout).list(prefix, after, most);
  }

  @Override
  public Subscription subscribe(Listener listener) {
    return LeaseNotifications.subscribe(link::listen, keys, listener, timeout);
  }

  /** Closes its connections; the client stays open, and leases run out by themselves. */
  @Override
  public void close() {
    link.close();
  }

  private static ScriptCall call(
      Script script,
      String doing,
      LeaseKey key,
      byte[] state,
      Consumer<CommandArgs<byte[], byte[]>> arguments) {
    return new ScriptCall(script, doing, key, state, arguments, RedisErrors.OF_LEASES);
  }

  private static boolean shared(LeaseKey key) {
    return key.kind() != LeaseKey.Kind.EXCLUSIVE;
  }

  private static long micros(Duration duration) {
    return Math.max(1, duration.toNanos() / 1000);
  }

  /** The keys outlive the lease, so that its token is remembered. */
  private long memory(Duration lease) {
    return lease.toMillis() + options.memory().toMillis();
  }
}
