package dev.holdfast.idempotency;

import dev.holdfast.internal.Require;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A place where idempotency records are, with the claims on them: what a backend has to do.
 *
 * <p>Each method is one atomic change, decided by the clock of the store. Whoever holds a claim is
 * known by the {@link Hold#attempt attempt}, a random number: every change says which one it comes
 * from, and changes nothing where that attempt does not hold the claim any more. The same change
 * said twice, because its answer was lost, is answered twice with yes. Fails with a {@link
 * dev.holdfast.HoldfastException} where the store does not answer. Thread-safe.
 */
public interface IdempotencyStore {
  /**
   * What is claimed, by whom and for how long.
   *
   * @param attempt who claims it
   * @param lease how long it is held, unless it is renewed
   * @param retention how long its record is kept at least, from now on
   * @param work what it takes to go on with it without whoever sent it, or null
   */
  record Request(
      IdempotencyKey key,
      Fingerprint fingerprint,
      UUID attempt,
      Duration lease,
      Duration retention,
      @Nullable FlowInput work) {
    public Request {
      Require.notNull(key, "key");
      Require.notNull(fingerprint, "fingerprint");
      Require.notNull(attempt, "attempt");
      Require.notNull(lease, "lease");
      Require.notNull(retention, "retention");
    }
  }

  /** The name of a flow, and what it was asked for. */
  @SuppressWarnings("ArrayRecordComponent") // equal by content
  record FlowInput(String flow, byte[] input) {
    @Override
    public boolean equals(Object other) {
      return other instanceof FlowInput that
          && flow.equals(that.flow)
          && Arrays.equals(input, that.input);
    }

    @Override
    public int hashCode() {
      return 31 * flow.hashCode() + Arrays.hashCode(input);
    }

    @Override
    public String toString() {
      return "'" + flow + "' with " + input.length + " bytes";
    }
  }

  /** A step that is recorded, and what came out of it. */
  @SuppressWarnings("ArrayRecordComponent") // equal by content
  record Step(String name, byte[] value) {
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

  /** A claim, as whoever holds it knows it. */
  record Hold(IdempotencyKey key, UUID attempt) {}

  /** What a claim was answered. */
  sealed interface Claimed {
    /**
     * It is held now.
     *
     * @param attempts how often it was claimed, with this time
     * @param steps those that earlier attempts have recorded, in their order
     */
    record Granted(int attempts, List<Step> steps) implements Claimed {}

    /**
     * It is done.
     *
     * @param attempt by whom
     */
    record Done(StoredReply reply, UUID attempt) implements Claimed {}

    /**
     * Somebody else holds it.
     *
     * @param since when it was begun; null where only its transaction knows
     * @param left how long that claim lasts if it is not renewed; null where it has no lease
     */
    record Busy(@Nullable Instant since, @Nullable Duration left) implements Claimed {}

    /** The key has another fingerprint. */
    record OtherPayload() implements Claimed {}

    /** A transaction was committed with its record, but without an answer. */
    record Unanswered() implements Claimed {}

    /** There is no record; only told to who wants to {@link #resume} it. */
    record Gone() implements Claimed {}
  }

  /**
   * How often work was claimed.
   *
   * @param from at least so often
   * @param below less often than this
   */
  record Attempts(int from, int below) {
    /** Less often than this. */
    public static Attempts below(int attempts) {
      return new Attempts(0, attempts);
    }

    /** At least so often. */
    public static Attempts from(int attempts) {
      return new Attempts(attempts, Integer.MAX_VALUE);
    }
  }

  /** Unfinished work that nobody holds. */
  record Abandoned(IdempotencyKey key, Fingerprint fingerprint, FlowInput work, int attempts) {}

  /**
   * Takes the claim where there is no record, or one that is not done and whose claim was given
   * back or has run out. A record whose retention is over, and that nobody holds, is none. Asked
   * again by the attempt that holds it, it answers {@code Granted} again. Never waits.
   */
  Claimed claim(Request request);

  /**
   * As {@link #claim}, but only where there is a record: what was done and is over, or was
   * forgotten, since somebody saw it among the {@link #abandoned} is {@code Gone}, and is not begun
   * anew.
   */
  Claimed resume(Request request);

  /** Whether the claim is still held; then it lasts for {@code lease} from now on. */
  boolean renew(Hold hold, Duration lease);

  /**
   * Whether the claim is still held; then a step is recorded after the others, and the claim lasts
   * for {@code lease} from now on.
   */
  boolean record(Hold hold, Step step, Duration lease);

  /**
   * Whether the claim is still held, or was completed by the same attempt; then it is done, and
   * kept for {@code retention} from now on at least.
   */
  boolean complete(Hold hold, StoredReply reply, Duration retention);

  /**
   * Whether the claim was still held, or given back by the same attempt; then anybody who comes
   * with the key may take it at once, and {@link #abandoned} tells of it after {@code pause}.
   */
  boolean release(Hold hold, Duration pause);

  /** The record of a key, unless its retention is over. */
  Optional<IdempotencyRecord> find(IdempotencyKey key);

  /** Removes the record of a key, unless somebody holds its claim; whether there was one. */
  boolean forget(IdempotencyKey key);

  /**
   * Removes at most so many records whose retention is over and that nobody holds, and tells how
   * many. Work of a flow that is not done is never removed.
   */
  int cleanUp(int most);

  /**
   * Work of these flows that is not done and that nobody holds, what became free first comes first.
   *
   * @param attempts only what was claimed so often: what whoever asks has given up must not stand
   *     before the rest
   * @param most how many at most
   */
  List<Abandoned> abandoned(Collection<String> flows, Attempts attempts, int most);
}
