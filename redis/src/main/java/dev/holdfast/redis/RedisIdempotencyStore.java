package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
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
  /** A change that too few replicas have is not undone: a repeated call succeeds again. */
  private static final String MAYBE_LOST = "so it may be lost";

  private final RedisConnections link;
  private final RecordKeys keys;
  private final Duration timeout;
  private final WorkflowIndex workflows;
  private final @Nullable ReplicatedCalls replicated;

  private RedisIdempotencyStore(RedisConnections link, RedisIdempotencyOptions options) {
    this.link = link;
    this.keys = new RecordKeys(options.prefix());
    this.timeout = options.timeout();
    this.workflows = new WorkflowIndex(link, keys, timeout);
    this.replicated =
        options.replicas() > 0
            ? new ReplicatedCalls(link, options.replicas(), options.replicaTimeout(), timeout)
            : null;
  }

  /** With the records in one Redis server, or in one that Sentinel manages. */
  public static RedisIdempotencyStore using(RedisClient client) {
    return using(client, RedisIdempotencyOptions.DEFAULTS);
  }

  /**
   * With the records in one Redis server, or in one that Sentinel manages.
   *
   * @throws dev.holdfast.StoreException if the connection fails
   */
  public static RedisIdempotencyStore using(RedisClient client, RedisIdempotencyOptions options) {
    return connect(Require.notNull(client, "client"), ServerConnections::new, options);
  }

  /** With the records in a cluster. */
  public static RedisIdempotencyStore using(RedisClusterClient client) {
    return using(client, RedisIdempotencyOptions.DEFAULTS);
  }

  /**
   * With the records in a cluster. Enable the periodic and adaptive topology refresh of the client
   * ({@code ClusterTopologyRefreshOptions}). Otherwise it does not find new masters.
   *
   * @throws dev.holdfast.StoreException if the connection fails
   */
  public static RedisIdempotencyStore using(
      RedisClusterClient client, RedisIdempotencyOptions options) {
    return connect(Require.notNull(client, "client"), ClusterConnections::new, options);
  }

  private static <C> RedisIdempotencyStore connect(
      C client, Function<C, RedisConnections> connecting, RedisIdempotencyOptions options) {
    Require.notNull(options, "options");
    try {
      return new RedisIdempotencyStore(RedisConnections.connect(client, connecting), options);
    } catch (RedisException e) {
      throw RedisErrors.OF_IDEMPOTENCY.noConnection(e);
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
   * @param insert whether a record is inserted if there is none
   */
  private ClaimResult claim(ClaimRequest request, boolean insert) {
    Require.notNull(request, "request");
    if (link.isCut()) {
      // nothing was sent yet, so it does not wait for a new connection
      throw RedisErrors.OF_IDEMPOTENCY.cut("claiming " + request.key());
    }
    Ownership owner = new Ownership(request.key(), request.ownerId());
    WorkflowInput work = request.work();
    if (work == null) {
      return RecordReplies.claimResult(sendClaim(request, owner, insert));
    }
    WorkflowEntry entry = WorkflowEntry.of(work.workflow(), owner);
    // before the claim, so that recovery finds the workflow after a crash
    workflows.add(entry, request.lease());
    List<Object> reply = sendClaim(request, owner, insert);
    ClaimResult claimed = RecordReplies.claimResult(reply);
    if (!(claimed instanceof ClaimResult.Granted)) {
      workflows.tryRemove(entry);
    } else {
      UUID previous = RecordReplies.previousOwner(reply);
      if (previous != null && !previous.equals(owner.ownerId())) {
        workflows.tryRemove(entry.ofOwner(previous));
      }
    }
    return claimed;
  }

  private List<Object> sendClaim(ClaimRequest request, Ownership owner, boolean insert) {
    return written(
        call(
            Script.IDEMPOTENCY_CLAIM,
            "claiming",
            request.key(),
            args -> describe(request, insert, args)),
        "the claim",
        "so it was released",
        // on the same connection, so that it cannot arrive after a repeated claim
        () -> releasing(owner, Duration.ZERO).list(link.master(keys.record(owner.key())), timeout));
  }

  private static void describe(
      ClaimRequest request, boolean insert, CommandArgs<byte[], byte[]> args) {
    args.add(Uuids.bytes(request.ownerId()))
        .add(request.fingerprint().sha256())
        .add(micros(request.lease()))
        .add(micros(request.retention()))
        .add(WorkflowEntry.text(request.key()))
        .add(insert ? 1 : 0);
    WorkflowInput work = request.work();
    if (work != null) {
      args.add(work.workflow().getBytes(UTF_8)).add(work.input());
    }
  }

  @Override
  public boolean renew(Ownership owner, Duration lease) {
    ScriptCall call =
        call(
            Script.IDEMPOTENCY_RENEW,
            "renewing the lease of",
            key(owner),
            args -> args.add(ownerId(owner)).add(micros(lease)));
    return renewed(owner, lease, written(call, "the renewal", MAYBE_LOST, () -> {}));
  }

  @Override
  public boolean record(Ownership owner, Step step, Duration lease) {
    Require.notNull(step, "step");
    ScriptCall call =
        call(
            Script.IDEMPOTENCY_RENEW,
            "recording a step of",
            key(owner),
            args -> args.add(ownerId(owner)).add(micros(lease)).add(step.encode()));
    return renewed(owner, lease, written(call, "the step", MAYBE_LOST, () -> {}));
  }

  private boolean renewed(Ownership owner, Duration lease, List<Object> reply) {
    String workflow = RecordReplies.workflow(reply);
    if (workflow != null) {
      workflows.tryAdd(WorkflowEntry.of(workflow, owner), lease);
    }
    return RecordReplies.changed(reply);
  }

  @Override
  public boolean complete(Ownership owner, StoredResult result, Duration retention) {
    Require.notNull(result, "result");
    ScriptCall call =
        call(
            Script.IDEMPOTENCY_COMPLETE,
            "completing",
            key(owner),
            args ->
                args.add(ownerId(owner))
                    .add(result.kind().code())
                    .add(result.bytes())
                    .add(micros(retention)));
    List<Object> reply = written(call, "the result", MAYBE_LOST, () -> {});
    String workflow = RecordReplies.workflow(reply);
    if (workflow != null) {
      workflows.tryRemove(WorkflowEntry.of(workflow, owner));
    }
    return RecordReplies.changed(reply);
  }

  @Override
  public boolean release(Ownership owner, Duration pause) {
    List<Object> reply = releasing(owner, pause).list(link.shared(), timeout);
    String workflow = RecordReplies.workflow(reply);
    if (workflow != null) {
      workflows.tryAdd(WorkflowEntry.of(workflow, owner), pause);
    }
    return RecordReplies.changed(reply);
  }

  private ScriptCall releasing(Ownership owner, Duration pause) {
    return call(
        Script.IDEMPOTENCY_RELEASE,
        "releasing the lease of",
        key(owner),
        args -> args.add(ownerId(owner)).add(micros(pause)));
  }

  @Override
  public Optional<IdempotencyRecord> find(IdempotencyKey key) {
    ScriptCall call = call(Script.IDEMPOTENCY_FIND, "reading the record of", key, args -> {});
    return RecordReplies.found(key, call.list(link.shared(), timeout));
  }

  @Override
  public DeleteResult delete(IdempotencyKey key) {
    List<Object> reply =
        call(Script.IDEMPOTENCY_DELETE, "deleting the record of", key, args -> {})
            .list(link.shared(), timeout);
    String workflow = RecordReplies.workflow(reply);
    if (workflow != null) {
      workflows.tryRemove(new WorkflowEntry(workflow, key, Uuids.read((byte[]) reply.get(2))));
    }
    return RecordReplies.deleted(reply);
  }

  /**
   * Deletes up to {@code limit} obsolete entries of workflows. Redis deletes the records by itself.
   */
  @Override
  public int deleteExpired(int limit) {
    return new WorkflowScan(workflows, keys, link, timeout, Attempts.below(0))
        .deleteObsolete(limit);
  }

  @Override
  public List<Interrupted> interrupted(Collection<String> names, Attempts attempts, int limit) {
    Require.notNull(names, "workflows");
    return new WorkflowScan(workflows, keys, link, timeout, attempts).interrupted(names, limit);
  }

  /** Closes its connections, but not the client. Leases expire. */
  @Override
  public void close() {
    link.close();
  }

  /** Sends a change, and waits for replicas if configured. */
  private List<Object> written(ScriptCall call, String name, String outcome, Runnable undo) {
    return replicated == null
        ? call.list(link.shared(), timeout)
        : replicated.send(
            call, ScriptCall::aList, new Change<>(RecordReplies::changed, name, outcome, undo));
  }

  private ScriptCall call(
      Script script,
      String doing,
      IdempotencyKey key,
      Consumer<CommandArgs<byte[], byte[]>> arguments) {
    byte[] record = keys.record(Require.notNull(key, "key"));
    return new ScriptCall(script, doing, key, record, arguments, RedisErrors.OF_IDEMPOTENCY);
  }

  private static IdempotencyKey key(Ownership owner) {
    return Require.notNull(owner, "owner").key();
  }

  private static byte[] ownerId(Ownership owner) {
    return Uuids.bytes(Require.notNull(owner.ownerId(), "owner id"));
  }

  private static long micros(Duration duration) {
    return TimeUnit.MICROSECONDS.convert(Require.notNull(duration, "duration"));
  }
}
