package dev.holdfast.internal.workflow;

import dev.holdfast.HoldfastException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.StoredText;
import dev.holdfast.internal.idempotency.ResultEncoder;
import dev.holdfast.internal.idempotency.store.SqlIdempotencyStore;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt of a request: its lease, its steps and its end. */
final class DefaultOpenWorkflow implements OpenWorkflow {
  private static final Logger LOG = LoggerFactory.getLogger(Workflows.class);
  private static final int MAX_NAME_LENGTH = 200;

  /** Of all steps of a request together, in bytes. */
  private static final int MAX_STEPS_SIZE = 15 << 20;

  private final IdempotencyStore store;
  private final ResultEncoder results;
  private final IdempotencyOptions options;
  private final CodecFactory codecs;
  private final Duration retention;
  private final @Nullable Transactions transactions;
  private final Ownership owner;
  private final LeaseRenewal renewal;
  private final int attempt;
  private final Map<String, byte[]> steps = new LinkedHashMap<>();
  private final Set<String> returned = new HashSet<>();
  private boolean ended;

  DefaultOpenWorkflow(
      IdempotencyStore store,
      IdempotencyOptions options,
      CodecFactory codecs,
      Duration retention,
      @Nullable Transactions transactions,
      Ownership owner,
      LeaseRenewal renewal,
      ClaimResult.Granted granted) {
    this.store = store;
    this.results = new ResultEncoder(options);
    this.options = options;
    this.codecs = codecs;
    this.retention = retention;
    this.transactions = transactions;
    this.owner = owner;
    this.renewal = renewal;
    this.attempt = granted.attempts();
    for (IdempotencyStore.Step step : granted.steps()) {
      steps.put(step.name(), step.value());
    }
  }

  @Override
  public IdempotencyKey key() {
    return owner.key();
  }

  @Override
  public int attempt() {
    return attempt;
  }

  @Override
  public List<String> completedSteps() {
    return List.copyOf(steps.keySet());
  }

  @Override
  public boolean isLeaseValid() {
    return renewal.isValid();
  }

  @Override
  public void ensureLeaseValid() {
    if (!isLeaseValid()) {
      throw leaseLost(key(), "continue");
    }
  }

  @Override
  public String idempotencyKey(String step) {
    requireName(step);
    byte[] name = step.getBytes(StandardCharsets.UTF_8);
    return UUID.nameUUIDFromBytes(Fingerprint.of(key().digest(), name).sha256()).toString();
  }

  @Override
  public <T, X extends Exception> T step(String name, Class<T> type, Step<T, X> action) throws X {
    return step(name, codecs.codec(Require.notNull(type, "type")), action);
  }

  @Override
  public <T, X extends Exception> T transactionalStep(
      String name, Class<T> type, TransactionCallback<T, X> work) throws X {
    return transactionalStep(name, codecs.codec(Require.notNull(type, "type")), work);
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T step(
      String name, Codec<T> codec, Step<T, X> action) throws X {
    requireName(name);
    Require.notNull(codec, "codec");
    Require.notNull(action, "action");
    requireUnlocked();
    requireNotReturned(name);
    byte[] recorded = steps.get(name);
    if (recorded != null) {
      T before = codec.decode(recorded);
      returned.add(name);
      return before;
    }
    ensureLeaseValid();
    T result = action.run();
    IdempotencyStore.Step step = encode(name, codec.encode(result), true);
    long asked = System.nanoTime();
    boolean valid =
        UninterruptibleCalls.of(
            () -> StoreRetry.of(() -> store.record(owner, step, options.leaseDuration())));
    if (!valid) {
      throw lost("record the step '" + name + "'");
    }
    renewal.extendedFrom(asked);
    steps.put(name, step.value());
    returned.add(name);
    return result;
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T transactionalStep(
      String name, Codec<T> codec, TransactionCallback<T, X> work) throws X {
    requireName(name);
    Require.notNull(codec, "codec");
    Require.notNull(work, "work");
    requireUnlocked();
    requireNotReturned(name);
    byte[] recorded = steps.get(name);
    if (recorded != null) {
      T before = codec.decode(recorded);
      returned.add(name);
      return before;
    }
    Transactions own = transactions;
    if (own == null || !(store instanceof SqlIdempotencyStore transactional)) {
      throw new UnsupportedOperationException(
          "A transactional step needs its records in the same database. Use"
              + " holdfast.workflows().");
    }
    ensureLeaseValid();
    byte[][] written = new byte[1][];
    T result;
    try {
      result =
          new TransactionalStep(own, transactional, owner, renewal)
              .run(
                  work,
                  value -> {
                    IdempotencyStore.Step step = encode(name, codec.encode(value), false);
                    written[0] = step.value();
                    return step;
                  },
                  this::lost);
    } catch (CommitUnknownException e) {
      // only the next attempt can see whether the step is recorded
      renewal.lose();
      throw e;
    }
    steps.put(name, written[0]);
    returned.add(name);
    return result;
  }

  /**
   * @param effective whether the step took effect already, even if it cannot be recorded
   */
  private IdempotencyStore.Step encode(String name, byte[] value, boolean effective) {
    Require.notNull(value, "the encoded value");
    if (value.length > options.maxResultSize()) {
      throw new ResultTooLargeException(
          "The result of step '"
              + name
              + "' has "
              + value.length
              + " bytes, more than the maximum of "
              + options.maxResultSize()
              + ". "
              + advice(effective),
          effective);
    }
    IdempotencyStore.Step step = new IdempotencyStore.Step(name, value);
    long all = size(step.name(), value);
    for (Map.Entry<String, byte[]> earlier : steps.entrySet()) {
      all += size(earlier.getKey(), earlier.getValue());
    }
    if (all > MAX_STEPS_SIZE) {
      throw new ResultTooLargeException(
          "The steps of "
              + key()
              + " have "
              + all
              + " bytes with '"
              + name
              + "', more than the maximum of "
              + MAX_STEPS_SIZE
              + " for all steps of a request. "
              + advice(effective),
          effective);
    }
    return step;
  }

  private static String advice(boolean effective) {
    return (effective
            ? "The step took effect but is not recorded, so the next attempt runs it again."
            : "The step took no effect.")
        + " Record references to large results.";
  }

  /** In a record, with both lengths. */
  private static long size(String name, byte[] value) {
    return 2L * Integer.BYTES + name.getBytes(StandardCharsets.UTF_8).length + value.length;
  }

  static LeaseLostException leaseLost(IdempotencyKey key, String action) {
    return new LeaseLostException(
        "idempotency-lease-lost",
        "request " + key,
        OptionalLong.empty(),
        "Cannot "
            + action
            + ": the lease of request "
            + key
            + " has expired, and another attempt may own it now. Raise leaseDuration(…) if the work"
            + " is slow.",
        null);
  }

  private LeaseLostException lost(String action) {
    renewal.lose();
    return leaseLost(key(), action);
  }

  /** Otherwise it would wait for the lock of its own step forever. */
  private void requireUnlocked() {
    Require.that(
        !renewal.isPaused(),
        "A workflow must not be used inside of its transactional step, which has the record locked."
            + " Use it before or after that step.");
  }

  /** Otherwise a loop would run its first iteration only, and use its result for all. */
  private void requireNotReturned(String name) {
    Require.that(
        !returned.contains(name),
        () ->
            "Each step must have a name of its own, and '"
                + name
                + "' was used before by this attempt. In a loop, make what differs part of the"
                + " name.");
  }

  private static void requireName(String name) {
    StoredText.require(name, 1, MAX_NAME_LENGTH, "the name of a step");
  }

  /**
   * {@inheritDoc}
   *
   * <p>A result that cannot be stored, because it is too large, or its external store fails, or the
   * store rejects it permanently, is left out: the work took effect. Duplicates get a {@link
   * ResultTooLargeException}.
   */
  @Override
  public void complete(byte[] result) {
    Require.notNull(result, "result");
    end(() -> completed(result.clone()));
  }

  private boolean completed(byte[] result) {
    try {
      return store(results.encodeOrSize(key(), result));
    } catch (RuntimeException | Error e) {
      if (isTransient(e)) {
        if (!storeResponds()) {
          throw e;
        }
        try {
          return store(results.encodeOrSize(key(), result));
        } catch (RuntimeException | Error again) {
          e.addSuppressed(again);
        }
      }
      boolean valid;
      try {
        valid = store(ResultEncoder.size(result.length));
      } catch (RuntimeException | Error again) {
        e.addSuppressed(again);
        throw e;
      }
      LOG.warn(
          "idempotency-result-not-stored: result of request {} ({} bytes) could not be stored;"
              + " replays will report it as too large: {}",
          key(),
          result.length,
          e.toString());
      if (e instanceof Error) {
        throw e;
      }
      return valid;
    }
  }

  private static boolean isTransient(Throwable failure) {
    return failure instanceof HoldfastException own && own.isRetryable();
  }

  /** MariaDB closes the connection if a statement is too large, although it responds to others. */
  private boolean storeResponds() {
    try {
      boolean unused = UninterruptibleCalls.of(() -> store.renew(owner, options.leaseDuration()));
      return true;
    } catch (RuntimeException e) {
      return false;
    }
  }

  @Override
  public void completeTooLarge(long size) {
    Require.that(size >= 0, "The size of a result must not be negative.");
    end(() -> store(ResultEncoder.size(size)));
  }

  @Override
  public void reject(byte[] result) {
    reject(new RejectedException(result));
  }

  void reject(RejectedException rejection) {
    end(() -> store(results.encodeRejection(key(), rejection)));
    if (!steps.isEmpty()) {
      // the record does not keep them
      LOG.warn(
          "workflow-rejected-after-steps: request {} was rejected after steps {}; these are not"
              + " undone",
          key(),
          steps.keySet());
    }
  }

  private boolean store(StoredResult result) {
    return UninterruptibleCalls.of(
        () -> StoreRetry.of(() -> store.complete(owner, result, retention)));
  }

  private void end(BooleanSupplier storing) {
    requireUnlocked();
    Require.that(!ended, "A request must be completed, rejected or released only once.");
    boolean valid;
    try {
      valid = storing.getAsBoolean();
    } catch (ResultTooLargeException e) {
      // it can still be ended in another way
      throw e;
    } catch (Throwable e) {
      // if the store did not respond, the request is completed, or its lease expires
      renewal.end();
      throw e;
    }
    renewal.end();
    if (!valid) {
      throw leaseLost(key(), "store the result");
    }
    ended = true;
  }

  @Override
  public boolean release() {
    return release(Duration.ZERO);
  }

  @Override
  public void abandon() {
    renewal.end();
  }

  boolean release(Duration pause) {
    requireUnlocked();
    if (ended) {
      return false;
    }
    renewal.end();
    boolean valid = UninterruptibleCalls.of(() -> StoreRetry.of(() -> store.release(owner, pause)));
    ended = true;
    return valid;
  }

  LeaseRenewal renewal() {
    return renewal;
  }
}
