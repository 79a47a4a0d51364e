package dev.holdfast.idempotency.spi;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.StoredResult;
import dev.holdfast.internal.Require;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A backend that stores idempotency records and the leases on them.
 *
 * <p>Each method is one atomic change, decided by the clock of the store. The owner of a lease is
 * identified by {@link Ownership#ownerId}, a random id of one attempt: every change names it, and
 * changes nothing if that attempt does not own the lease any more. A change that is repeated
 * because its response was lost returns {@code true} again. A method throws a {@link
 * dev.holdfast.HoldfastException} if the store does not respond. Thread-safe.
 */
public interface IdempotencyStore {
  /**
   * Describes a claim.
   *
   * @param ownerId the random id of the attempt that claims
   * @param lease how long the lease lasts without a renewal
   * @param retention how long the record is kept at least, from now on
   * @param work what an instance needs to continue without the client; null if it cannot
   */
  record ClaimRequest(
      IdempotencyKey key,
      Fingerprint fingerprint,
      UUID ownerId,
      Duration lease,
      Duration retention,
      @Nullable WorkflowInput work) {
    public ClaimRequest {
      Require.notNull(key, "key");
      Require.notNull(fingerprint, "fingerprint");
      Require.notNull(ownerId, "ownerId");
      Require.notNull(lease, "lease");
      Require.notNull(retention, "retention");
    }
  }

  /** The name of a workflow and its encoded input. */
  @SuppressWarnings("ArrayRecordComponent") // equal by content
  record WorkflowInput(String workflow, byte[] input) {
    @Override
    public boolean equals(Object other) {
      return other instanceof WorkflowInput that
          && workflow.equals(that.workflow)
          && Arrays.equals(input, that.input);
    }

    @Override
    public int hashCode() {
      return 31 * workflow.hashCode() + Arrays.hashCode(input);
    }

    @Override
    public String toString() {
      return "'" + workflow + "' with " + input.length + " bytes";
    }
  }

  /** A recorded step and its encoded result. */
  @SuppressWarnings("ArrayRecordComponent") // equal by content
  record Step(String name, byte[] value) {
    /**
     * The bytes of this step, which are appended to those of earlier steps: the length of the name,
     * the name, the length of the value, the value.
     */
    public byte[] encode() {
      byte[] text = name.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(2 * Integer.BYTES + text.length + value.length)
          .putInt(text.length)
          .put(text)
          .putInt(value.length)
          .put(value)
          .array();
    }

    /**
     * The steps of appended bytes. A step that was appended twice, because the first response was
     * lost, counts once.
     */
    public static List<Step> decode(byte @Nullable [] encoded) {
      if (encoded == null) {
        return List.of();
      }
      Map<String, Step> steps = new LinkedHashMap<>();
      ByteBuffer buffer = ByteBuffer.wrap(encoded);
      while (buffer.hasRemaining()) {
        String name = new String(next(buffer), StandardCharsets.UTF_8);
        steps.putIfAbsent(name, new Step(name, next(buffer)));
      }
      return new ArrayList<>(steps.values());
    }

    private static byte[] next(ByteBuffer buffer) {
      byte[] bytes = new byte[buffer.getInt()];
      buffer.get(bytes);
      return bytes;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Step that
          && name.equals(that.name)
          && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
      return 31 * name.hashCode() + Arrays.hashCode(value);
    }

    @Override
    public String toString() {
      return "'" + name + "' with " + value.length + " bytes";
    }
  }

  /** Identifies the owner of the lease of a request. */
  record Ownership(IdempotencyKey key, UUID ownerId) {}

  /** The result of a claim. */
  sealed interface ClaimResult {
    /**
     * The attempt owns the lease now.
     *
     * @param attempts how often the request was claimed, including this time
     * @param steps the steps that earlier attempts have recorded, in their order
     */
    record Granted(int attempts, List<Step> steps) implements ClaimResult {}

    /**
     * The request is completed.
     *
     * @param ownerId the attempt that completed it
     */
    record Completed(StoredResult result, UUID ownerId) implements ClaimResult {}

    /**
     * Another attempt owns the lease.
     *
     * @param startedAt when the request was started; null if only its transaction knows
     * @param leaseRemaining how long the lease lasts without a renewal; null if there is no lease
     */
    record InProgress(@Nullable Instant startedAt, @Nullable Duration leaseRemaining)
        implements ClaimResult {}

    /** The record of the key has another fingerprint. */
    record KeyReused() implements ClaimResult {}

    /** A transaction was committed with its record, but without a result. */
    record Incomplete() implements ClaimResult {}

    /** There is no record. Only a result of {@link #resume}. */
    record NotFound() implements ClaimResult {}
  }

  /**
   * A range of attempts.
   *
   * @param from at least this many
   * @param below fewer than this many
   */
  record Attempts(int from, int below) {
    /** Fewer attempts than this. */
    public static Attempts below(int attempts) {
      return new Attempts(0, attempts);
    }

    /** At least this many attempts. */
    public static Attempts from(int attempts) {
      return new Attempts(attempts, Integer.MAX_VALUE);
    }
  }

  /** A workflow that is not completed and whose lease no attempt owns. */
  record Interrupted(
      IdempotencyKey key, Fingerprint fingerprint, WorkflowInput work, int attempts) {}

  /**
   * Claims a request: if there is no record, or if it is not completed and its lease was released
   * or has expired. A record after its retention, without an owner, counts as none. If the attempt
   * already owns the lease, the result is {@code Granted} again. Never waits.
   */
  ClaimResult claim(ClaimRequest request);

  /**
   * As {@link #claim}, but only if there is a record. A request that was completed and expired, or
   * was deleted, since it was listed by {@link #interrupted} is {@code NotFound} and is not started
   * again.
   */
  ClaimResult resume(ClaimRequest request);

  /** Extends the lease to this duration from now on; false if the attempt does not own it. */
  boolean renew(Ownership owner, Duration lease);

  /**
   * Records a step after the others and extends the lease to this duration from now on; false if
   * the attempt does not own it.
   */
  boolean record(Ownership owner, Step step, Duration lease);

  /**
   * Completes the request and keeps its record for {@code retention} from now on at least; false if
   * the attempt does not own the lease and has not completed the request before.
   */
  boolean complete(Ownership owner, StoredResult result, Duration retention);

  /**
   * Releases the lease. Any attempt may claim the request at once, and {@link #interrupted} lists
   * it after {@code pause}. False if the attempt does not own the lease and has not released it
   * before.
   */
  boolean release(Ownership owner, Duration pause);

  /** The record of a key, unless its retention is over. */
  Optional<IdempotencyRecord> find(IdempotencyKey key);

  /** Deletes the record of a key, unless an attempt owns its lease. */
  DeleteResult delete(IdempotencyKey key);

  /**
   * Deletes up to {@code limit} records whose retention is over and whose lease no attempt owns.
   * Workflows that are not completed are never deleted.
   *
   * @return how many records were deleted
   */
  int deleteExpired(int limit);

  /**
   * The unfinished workflows of these names whose lease no attempt owns, those that became free
   * first come first.
   *
   * @param attempts only workflows in this range, so that exhausted ones do not hide the others
   * @param limit how many at most
   */
  List<Interrupted> interrupted(Collection<String> workflows, Attempts attempts, int limit);
}
