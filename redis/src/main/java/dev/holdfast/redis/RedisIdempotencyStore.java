package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.idempotency.ResultKindCode;
import dev.holdfast.internal.idempotency.StepCodec;
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
 * Stores idempotency records in Redis, by scripts of one round trip, and one more for workflows.
 *
 * <p><b>Guarantees:</b> Redis decides alone, by its own clock, and deletes records by itself when
 * their retention is over; {@link #deleteExpired} only deletes what is left of workflows besides
 * their records. A workflow whose entry was lost is found again by recovery as soon as its lease is
 * renewed or its request is repeated.
 *
 * <p><b>Does not guarantee</b> as much as records in the database. A record is never in the
 * transaction of the business change: work that took effect, and whose process died before its
 * result was stored, runs again, except for its recorded steps. Redis also loses data if it
 * restarts without persistence, evicts keys (its {@code maxmemory-policy} must be {@code
 * noeviction}), or fails over to a replica that is behind. Then a lease, a step or a result may be
 * lost, and the work runs twice. {@link RedisIdempotencyOptions#withReplicas} makes this less
 * likely. Use it if a second execution is a nuisance and not a loss, or if the other system rejects
 * duplicates by {@link dev.holdfast.workflow.StepContext#idempotencyKey}.
 *
 * <p><b>Threads:</b> thread-safe. It has one connection that all threads share, and one more if
 * changes wait for replicas; {@link #close} closes them. It does not close the client.
 */
public final class RedisIdempotencyStore implements IdempotencyStore, AutoCloseable {
  /** A change that too few replicas have is not undone: repeated, it succeeds again. */
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
   * @throws dev.holdfast.StoreException where it cannot be connected to
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
   * @throws dev.holdfast.StoreException where it cannot be connected to
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
  public ClaimResult claim(ClaimRequest request) {
    return claim(request, true);
  }

  @Override
  public ClaimResult resume(ClaimRequest request) {
    return claim(request, false);
  }

  /**
   * @param begin whether a record is inserted if there is none
   */
  private ClaimResult claim(ClaimRequest request, boolean begin) {
    Require.notNull(request, "the request");
    if (link.isCut()) {
      // nothing has been done yet, so do not wait for a new connection
      throw RedisErrors.OF_CLAIMS.cut("claiming " + request.key());
    }
    Ownership owner = new Ownership(request.key(), request.attempt());
    WorkflowInput work = request.work();
    if (work == null) {
      return RecordAnswers.claimed(claiming(request, owner, begin));
    }
    FlowEntry entry = FlowEntry.of(work.workflow(), owner);
    // before the claim, so that recovery finds the workflow after a crash
    flows.enter(entry, request.lease());
    List<Object> answer = claiming(request, owner, begin);
    ClaimResult claimed = RecordAnswers.claimed(answer);
    if (!(claimed instanceof ClaimResult.Granted)) {
      flows.tryLeave(entry);
    } else {
      UUID before = RecordAnswers.before(answer);
      if (before != null && !before.equals(owner.attempt())) {
        flows.tryLeave(entry.of(before));
      }
    }
    return claimed;
  }

  private List<Object> claiming(ClaimRequest request, Ownership owner, boolean begin) {
    return written(
        call(Script.CLAIM, "claiming", request.key(), args -> describe(request, begin, args)),
        "the claim",
        "so it was released",
        // on the same connection: it must not come after a repeated claim
        () -> releasing(owner, Duration.ZERO).list(link.master(keys.state(owner.key())), timeout));
  }

  private static void describe(
      ClaimRequest request, boolean begin, CommandArgs<byte[], byte[]> args) {
    args.add(Uuids.bytes(request.attempt()))
        .add(request.fingerprint().sha256())
        .add(micros(request.lease()))
        .add(micros(request.retention()))
        .add(FlowEntry.text(request.key()))
        .add(begin ? 1 : 0);
    WorkflowInput work = request.work();
    if (work != null) {
      args.add(work.workflow().getBytes(UTF_8)).add(work.input());
    }
  }

  @Override
  public boolean renew(Ownership owner, Duration lease) {
    Call call =
        call(
            Script.CLAIM_RENEW,
            "renewing the lease of",
            key(owner),
            args -> args.add(attempt(owner)).add(micros(lease)));
    return prolonged(owner, lease, written(call, "the renewal", MAYBE, () -> {}));
  }

  @Override
  public boolean record(Ownership owner, Step step, Duration lease) {
    Require.notNull(step, "the step");
    Call call =
        call(
            Script.CLAIM_RENEW,
            "recording a step of",
            key(owner),
            args -> args.add(attempt(owner)).add(micros(lease)).add(StepCodec.write(step)));
    return prolonged(owner, lease, written(call, "the step", MAYBE, () -> {}));
  }

  private boolean prolonged(Ownership owner, Duration lease, List<Object> answer) {
    String workflow = RecordAnswers.workflow(answer);
    if (workflow != null) {
      flows.tryEnter(FlowEntry.of(workflow, owner), lease);
    }
    return RecordAnswers.changed(answer);
  }

  @Override
  public boolean complete(Ownership owner, StoredResult result, Duration retention) {
    Require.notNull(result, "the result");
    Call call =
        call(
            Script.CLAIM_COMPLETE,
            "completing",
            key(owner),
            args ->
                args.add(attempt(owner))
                    .add(ResultKindCode.of(result.kind()))
                    .add(result.bytes())
                    .add(micros(retention)));
    List<Object> answer = written(call, "the result", MAYBE, () -> {});
    String workflow = RecordAnswers.workflow(answer);
    if (workflow != null) {
      flows.tryLeave(FlowEntry.of(workflow, owner));
    }
    return RecordAnswers.changed(answer);
  }

  @Override
  public boolean release(Ownership owner, Duration pause) {
    List<Object> answer = releasing(owner, pause).list(link.shared(), timeout);
    String workflow = RecordAnswers.workflow(answer);
    if (workflow != null) {
      flows.tryEnter(FlowEntry.of(workflow, owner), pause);
    }
    return RecordAnswers.changed(answer);
  }

  private Call releasing(Ownership owner, Duration pause) {
    return call(
        Script.CLAIM_RELEASE,
        "releasing the lease of",
        key(owner),
        args -> args.add(attempt(owner)).add(micros(pause)));
  }

  @Override
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    Call call = call(Script.CLAIM_FIND, "looking for the record of", key, args -> {});
    return RecordAnswers.found(key, call.list(link.shared(), timeout));
  }

  @Override
  public DeleteResult delete(IdempotencyKey key) {
    List<Object> answer =
        call(Script.CLAIM_FORGET, "deleting the record of", key, args -> {})
            .list(link.shared(), timeout);
    String workflow = RecordAnswers.workflow(answer);
    if (workflow != null) {
      flows.tryLeave(new FlowEntry(workflow, key, Uuids.read((byte[]) answer.get(2))));
    }
    return RecordAnswers.deleted(answer);
  }

  /**
   * Deletes up to {@code limit} obsolete entries of workflows. Redis deletes the records by itself.
   */
  @Override
  public int deleteExpired(int limit) {
    return new FlowWalk(flows, keys, link, timeout, Attempts.below(0)).deleteExpired(limit);
  }

  @Override
  public List<Interrupted> interrupted(Collection<String> names, Attempts attempts, int limit) {
    Require.notNull(names, "the names of workflows");
    return new FlowWalk(flows, keys, link, timeout, attempts).interrupted(names, limit);
  }

  /** Closes its connections; the client stays open, and leases expire. */
  @Override
  public void close() {
    link.close();
  }

  /** Sends a change, and waits for replicas if configured. */
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

  private static IdempotencyKey key(Ownership owner) {
    return Require.notNull(owner, "the owner").key();
  }

  private static byte[] attempt(Ownership owner) {
    return Uuids.bytes(Require.notNull(owner.attempt(), "the attempt"));
  }

  private static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(Require.notNull(duration, "the duration"));
  }
}
