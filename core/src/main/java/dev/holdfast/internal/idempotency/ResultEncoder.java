package dev.holdfast.internal.idempotency;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.LargeResultStore;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Encodes results for a store, and decodes them. Immutable and thread-safe. */
public final class ResultEncoder {
  private static final Duration MIN_RETRY_AFTER = Duration.ofSeconds(1);

  private final IdempotencyOptions options;

  public ResultEncoder(IdempotencyOptions options) {
    this.options = options;
  }

  /**
   * A result as it is stored.
   *
   * @throws ResultTooLargeException if it is too large and there is no store of large results
   */
  public StoredResult encode(IdempotencyKey key, byte[] bytes) {
    Require.notNull(bytes, "the bytes of a result");
    if (bytes.length <= options.maxResultSize()) {
      return new StoredResult(StoredResult.Kind.RESULT, bytes);
    }
    LargeResultStore external = options.largeResultStore().orElse(null);
    if (external == null) {
      throw tooLarge("result of " + key, bytes.length);
    }
    // a new name each time: an attempt that has lost its lease finds that out only afterwards
    String name = UUID.randomUUID().toString();
    external.put(key, name, bytes);
    return new StoredResult(StoredResult.Kind.EXTERNAL, name.getBytes(StandardCharsets.UTF_8));
  }

  /** As {@link #encode}, for work that took effect already and cannot be undone. */
  public StoredResult encodeOrSize(IdempotencyKey key, byte[] bytes) {
    return bytes.length > options.maxResultSize() && options.largeResultStore().isEmpty()
        ? size(bytes.length)
        : encode(key, bytes);
  }

  /** Only the size of a result that is not stored. */
  public static StoredResult size(long bytes) {
    return new StoredResult(
        StoredResult.Kind.TOO_LARGE, Long.toString(bytes).getBytes(StandardCharsets.US_ASCII));
  }

  /** The result of a rejection as it is stored. */
  public StoredResult encodeRejection(IdempotencyKey key, RejectedException rejection) {
    byte[] bytes = rejection.bytes();
    if (bytes.length > options.maxResultSize()) {
      throw tooLarge("rejection of " + key, bytes.length);
    }
    return new StoredResult(StoredResult.Kind.REJECTION, bytes);
  }

  /** The exception for something that took no effect because it is too large. */
  public ResultTooLargeException tooLarge(String what, int size) {
    return new ResultTooLargeException(
        "The "
            + what
            + " has "
            + size
            + " bytes, more than the maximum of "
            + options.maxResultSize()
            + ". The request took no effect. Raise maxResultSize(…), or set a largeResultStore(…).",
        false);
  }

  /** The rejection that a failure of the work is, or null if it is none. */
  public @Nullable RejectedException rejection(Exception failure) {
    if (failure instanceof RejectedException rejection) {
      return rejection;
    }
    Optional<RejectedException> rejection;
    try {
      rejection = options.rejectOn().apply(failure);
    } catch (RuntimeException e) {
      // the failure of the work matters more than that of the mapper
      failure.addSuppressed(e);
      return null;
    }
    return rejection == null || rejection.isEmpty()
        ? null
        : new RejectedException(rejection.get().bytes(), failure);
  }

  /**
   * The bytes of a stored result.
   *
   * @throws RejectedException if the request was rejected
   * @throws ResultTooLargeException if only its size was stored
   */
  public byte[] decode(IdempotencyKey key, StoredResult result) {
    return decode(key, result, false);
  }

  /**
   * As {@link #decode(IdempotencyKey, StoredResult)}.
   *
   * @param mine whether it was stored by the same attempt, whose commit outcome was unknown
   */
  public byte[] decode(IdempotencyKey key, StoredResult result, boolean mine) {
    return switch (result.kind()) {
      case RESULT -> result.bytes();
      case REJECTION ->
          throw mine
              ? new RejectedException(result.bytes())
              : RejectedException.replayed(result.bytes());
      case TOO_LARGE ->
          throw new ResultTooLargeException(
              "The request "
                  + key
                  + " took effect, but its result of "
                  + new String(result.bytes(), StandardCharsets.US_ASCII)
                  + " bytes was too large to be stored and cannot be replayed.",
              true);
      case EXTERNAL -> external(key, new String(result.bytes(), StandardCharsets.UTF_8));
    };
  }

  private byte[] external(IdempotencyKey key, String name) {
    LargeResultStore external =
        options
            .largeResultStore()
            .orElseThrow(
                () ->
                    new IncompleteRecordException(
                        key,
                        "refers to a store of large results, and none is set. Set"
                            + " largeResultStore(…)."));
    byte[] stored = external.get(key, name);
    if (stored == null) {
      throw new IncompleteRecordException(
          key,
          "refers to a large result that its store does not have any more: "
              + Excerpt.quoted(name));
    }
    return stored;
  }

  /** The result of beginning a request that another attempt has started or completed. */
  public <R extends OpenRequest> BeginResult<R> notOpened(IdempotencyKey key, ClaimResult found) {
    if (found instanceof ClaimResult.Completed completed) {
      return completed.result().kind() == StoredResult.Kind.REJECTION
          ? new BeginResult.Replayed<>(completed.result().bytes(), true)
          : new BeginResult.Replayed<>(decode(key, completed.result()), false);
    }
    if (found instanceof ClaimResult.InProgress progress) {
      return new BeginResult.InProgress<>(
          Optional.ofNullable(progress.startedAt()), retryAfter(progress));
    }
    if (found instanceof ClaimResult.KeyReused) {
      return new BeginResult.KeyReused<>();
    }
    throw incomplete(key);
  }

  /** When a duplicate should come again: when the lease expires, but not at once. */
  public static Duration retryAfter(ClaimResult.InProgress progress) {
    Duration left = progress.leaseRemaining();
    return left == null || left.compareTo(MIN_RETRY_AFTER) < 0 ? MIN_RETRY_AFTER : left;
  }

  public static IncompleteRecordException incomplete(IdempotencyKey key) {
    return new IncompleteRecordException(
        key,
        "has no result: it is in progress in this very transaction, or its transaction was"
            + " committed without complete(…), or it has steps of a workflow and only a workflow"
            + " can continue it. Check what was done, then delete(…) the record.");
  }
}
