package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyStore;
import dev.holdfast.idempotency.StoredReply;
import dev.holdfast.idempotency.internal.ReplyCode;
import dev.holdfast.idempotency.internal.Steps;
import dev.holdfast.internal.Require;
import dev.holdfast.redis.ReplicatedCalls.Change;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.protocol.CommandArgs;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Idempotency records in Redis, by scripts of one round trip, and one more for flows.
 *
 * <p>It is weaker than records in the database. A record is never in the transaction of the
 * business change: work that took effect, and whose process died before its answer was kept, runs
 * again, as far as its steps do not tell otherwise. And Redis forgets what it had where it is
 * restarted without its data, throws keys away for want of memory (its {@code maxmemory-policy}
 * must be {@code noeviction}), and what its replicas do not have yet where one of them takes over:
 * a claim, a step or an answer may be lost then, and the work runs twice. {@link
 * RedisIdempotencyOptions#withReplicas} narrows that, and does not exclude it. Use it where doing
 * something twice is a nuisance, not a loss, or where the other side refuses duplicates by {@link
 * dev.holdfast.idempotency.Claim#keyFor}.
 *
 * <p>Redis decides alone, by its own clock, and removes records by itself when their retention is
 * over; {@link #cleanUp} only removes what is left of flows besides their records. A flow whose
 * entry was lost is found again by its completer as soon as somebody renews or repeats it.
 *
 * <p>It has one connection that all threads share, and one more where changes wait for replicas;
 * {@link #close} closes them. The client stays the caller's, to be shut down afterwards.
 * Thread-safe.
 */
public final class RedisIdempotencyStore implements IdempotencyStore, AutoCloseable {
  /** What too few replicas have is not taken back: said again, it is answered with yes again. */
  private static final String MAYBE = "so it may be lost, or not";

  private final Link link;
  private final RecordKeys keys;
  private final Duration timeout;
  private final FlowIndex flows;
  private final @Nullable ReplicatedCalls replicated;

  private RedisIdempotencyStore(Link link, RedisIdempotencyOptions options) {
    this.link = link;
    this.keys = new RecordKeys(options.prefix());
    this.timeout = options.timeout();
    this.flows = new FlowIndex(link, keys, timeout);
    this.replicated =
        options.replicas() > 0
            ? new ReplicatedCalls(link, options.replicas(), options.replicaTimeout(), timeout)
            : null;
  }

  /** In one Redis, or in one that Sentinel watches, as the client's URI says. */
  public static RedisIdempotencyStore using(RedisClient client) {
    return using(client, RedisIdempotencyOptions.DEFAULTS);
  }

  /**
   * In one Redis, or in one that Sentinel watches, as the client's URI says.
   *
   * @throws dev.holdfast.idempotency.IdempotencyStoreException where it cannot be connected to
   */
  public static RedisIdempotencyStore using(RedisClient client, RedisIdempotencyOptions options) {
    return connect(Require.notNull(client, "the client"), ServerLink::new, options);
  }

  /** In a cluster. */
  public static RedisIdempotencyStore using(RedisClusterClient client) {
    return using(client, RedisIdempotencyOptions.DEFAULTS);
  }

  /**
   * In a cluster. The client should refresh its view of the cluster by itself ({@code
   * ClusterTopologyRefreshOptions}, periodic and adaptive), or it does not find new masters.
   *
   * @throws dev.holdfast.idempotency.IdempotencyStoreException where it cannot be connected to
   */
  public static RedisIdempotencyStore using(
      RedisClusterClient client, RedisIdempotencyOptions options) {
    return connect(Require.notNull(client, "the client"), ClusterLink::new, options);
  }

  private static <C> RedisIdempotencyStore connect(
      C client, Function<C, Link> connecting, RedisIdempotencyOptions options) {
    Require.notNull(options, "the options");
    try {
      return new RedisIdempotencyStore(Link.connect(client, connecting), options);
    } catch (RedisException e) {
      throw RedisErrors.OF_CLAIMS.noConnection(e);
    }
  }

  @Override
  public Claimed claim(Request request) {
    return claim(request, true);
  }

  @Override
  public Claimed resume(Request request) {
    return claim(request, false);
  }

  /**
   * @param begin whether it is begun where there is none
   */
  private Claimed claim(Request request, boolean begin) {
    Require.notNull(request, "the request");
    if (link.isCut()) {
      // nothing has been done yet: so there is no reason to wait for it to come back
      throw RedisErrors.OF_CLAIMS.cut("claiming " + request.key());
    }
    Hold hold = new Hold(request.key(), request.attempt());
    FlowInput work = request.work();
    if (work == null) {
      return RecordAnswers.claimed(claiming(request, hold, begin));
    }
    FlowEntry entry = FlowEntry.of(work.flow(), hold);
    // before it claims: so no crash can leave a flow that nobody finds
    flows.enter(entry, request.lease());
    List<Object> answer = claiming(request, hold, begin);
    Claimed claimed = RecordAnswers.claimed(answer);
    if (!(claimed instanceof Claimed.Granted)) {
      flows.tryLeave(entry);
    } else {
      UUID before = RecordAnswers.before(answer);
      if (before != null && !before.equals(hold.attempt())) {
        flows.tryLeave(entry.of(before));
      }
    }
    return claimed;
  }

  private List<Object> claiming(Request request, Hold hold, boolean begin) {
    return written(
        call(Script.CLAIM, "claiming", request.key(), args -> describe(request, begin, args)),
        "the claim",
        "so it was given back",
        // on the same connection: it must not come after a claim that is tried again
        () -> releasing(hold, Duration.ZERO).list(link.master(keys.state(hold.key())), timeout));
  }

  private static void describe(Request request, boolean begin, CommandArgs<byte[], byte[]> args) {
    args.add(Uuids.bytes(request.attempt()))
        .add(request.fingerprint().sha256())
        .add(micros(request.lease()))
        .add(micros(request.retention()))
        .add(FlowEntry.text(request.key()))
        .add(begin ? 1 : 0);
    FlowInput work = request.work();
    if (work != null) {
      args.add(work.flow().getBytes(UTF_8)).add(work.input());
    }
  }

  @Override
  public boolean renew(Hold hold, Duration lease) {
    Call call =
        call(
            Script.CLAIM_RENEW,
            "renewing the claim of",
            key(hold),
            args -> args.add(attempt(hold)).add(micros(lease)));
    return prolonged(hold, lease, written(call, "the renewal", MAYBE, () -> {}));
  }

  @Override
  public boolean record(Hold hold, Step step, Duration lease) {
    Require.notNull(step, "the step");
    Call call =
        call(
            Script.CLAIM_RENEW,
            "recording a step of",
            key(hold),
            args -> args.add(attempt(hold)).add(micros(lease)).add(Steps.write(step)));
    return prolonged(hold, lease, written(call, "the step", MAYBE, () -> {}));
  }

  private boolean prolonged(Hold hold, Duration lease, List<Object> answer) {
    String flow = RecordAnswers.flow(answer);
    if (flow != null) {
      flows.tryEnter(FlowEntry.of(flow, hold), lease);
    }
    return RecordAnswers.changed(answer);
  }

  @Override
  public boolean complete(Hold hold, StoredReply reply, Duration retention) {
    Require.notNull(reply, "the reply");
    Call call =
        call(
            Script.CLAIM_COMPLETE,
            "keeping the answer to",
            key(hold),
            args ->
                args.add(attempt(hold))
                    .add(ReplyCode.of(reply.kind()))
                    .add(reply.bytes())
                    .add(micros(retention)));
    List<Object> answer = written(call, "the answer", MAYBE, () -> {});
    String flow = RecordAnswers.flow(answer);
    if (flow != null) {
      flows.tryLeave(FlowEntry.of(flow, hold));
    }
    return RecordAnswers.changed(answer);
  }

  @Override
  public boolean release(Hold hold, Duration pause) {
    List<Object> answer = releasing(hold, pause).list(link.shared(), timeout);
    String flow = RecordAnswers.flow(answer);
    if (flow != null) {
      flows.tryEnter(FlowEntry.of(flow, hold), pause);
    }
    return RecordAnswers.changed(answer);
  }

  private Call releasing(Hold hold, Duration pause) {
    return call(
        Script.CLAIM_RELEASE,
        "giving back the claim of",
        key(hold),
        args -> args.add(attempt(hold)).add(micros(pause)));
  }

  @Override
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    Call call = call(Script.CLAIM_FIND, "looking for the record of", key, args -> {});
    return RecordAnswers.found(key, call.list(link.shared(), timeout));
  }

  @Override
  public boolean forget(IdempotencyKey key) {
    List<Object> answer =
        call(Script.CLAIM_FORGET, "forgetting", key, args -> {}).list(link.shared(), timeout);
    String flow = RecordAnswers.flow(answer);
    if (flow != null) {
      flows.tryLeave(new FlowEntry(flow, key, Uuids.read((byte[]) answer.get(2))));
    }
    return RecordAnswers.changed(answer);
  }

  /**
   * Removes at most so many entries of flows that are of no use any more, and tells how many; the
   * records Redis removes by itself.
   */
  @Override
  public int cleanUp(int most) {
    return new FlowWalk(flows, keys, link, timeout, Attempts.below(0)).cleanUp(most);
  }

  @Override
  public List<Abandoned> abandoned(Collection<String> names, Attempts attempts, int most) {
    Require.notNull(names, "the names of flows");
    return new FlowWalk(flows, keys, link, timeout, attempts).abandoned(names, most);
  }

  /** Closes its connections; the client stays open, and claims run out by themselves. */
  @Override
  public void close() {
    link.close();
  }

  /** Sends it, and makes sure that enough replicas have it where they are asked for. */
  private List<Object> written(Call call, String name, String outcome, Runnable undo) {
    return replicated == null
        ? call.list(link.shared(), timeout)
        : replicated.send(
            call, Call::aList, new Change<>(RecordAnswers::changed, name, outcome, undo));
  }

  private Call call(
      Script script,
      String doing,
      IdempotencyKey key,
      Consumer<CommandArgs<byte[], byte[]>> arguments) {
    byte[] state = keys.state(Require.notNull(key, "the idempotency key"));
    return new Call(script, doing, key, state, arguments, RedisErrors.OF_CLAIMS);
  }

  private static IdempotencyKey key(Hold hold) {
    return Require.notNull(hold, "the hold").key();
  }

  private static byte[] attempt(Hold hold) {
    return Uuids.bytes(Require.notNull(hold.attempt(), "the attempt"));
  }

  private static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(Require.notNull(duration, "the duration"));
  }
}
