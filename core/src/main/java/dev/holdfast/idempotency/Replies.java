package dev.holdfast.idempotency;

import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Makes answers into what stores keep, and back. Immutable and thread-safe. */
final class Replies {
  private final KeepSettings settings;

  Replies(KeepSettings settings) {
    this.settings = settings;
  }

  /**
   * An answer as it is kept.
   *
   * @throws ReplyTooLargeException where it is too large and there is no vault
   */
  StoredReply answer(IdempotencyKey key, byte[] bytes) {
    Require.notNull(bytes, "the bytes of a reply");
    if (bytes.length <= settings.largest()) {
      return new StoredReply(StoredReply.Kind.ANSWER, bytes);
    }
    ReplyVault vault = settings.vault();
    if (vault == null) {
      throw ReplyTooLargeException.of("the reply to " + key, bytes.length, settings.largest());
    }
    // each time another one: who has lost a claim finds that out only after this
    String name = UUID.randomUUID().toString();
    vault.put(key, name, bytes);
    return new StoredReply(StoredReply.Kind.REFERENCE, name.getBytes(StandardCharsets.UTF_8));
  }

  /** As {@link #answer}, where the work took effect already and cannot be undone. */
  StoredReply answerOrItsSize(IdempotencyKey key, byte[] bytes) {
    return bytes.length > settings.largest() && settings.vault() == null
        ? size(bytes.length)
        : answer(key, bytes);
  }

  /** Only the size of an answer that nobody has any more. */
  static StoredReply size(long bytes) {
    return new StoredReply(
        StoredReply.Kind.UNKEPT, Long.toString(bytes).getBytes(StandardCharsets.US_ASCII));
  }

  /** A refusal as it is kept: as much of it as there is room for. */
  StoredReply refusal(IdempotencyKey key, RefusedException refused) {
    byte[] bytes = refused.bytes();
    if (bytes.length > settings.largest()) {
      throw ReplyTooLargeException.of("the refusal of " + key, bytes.length, settings.largest());
    }
    return new StoredReply(StoredReply.Kind.REFUSAL, bytes);
  }

  /**
   * The answer that was kept.
   *
   * @throws RefusedException where it was refused
   * @throws ReplyTooLargeException where only its size was kept
   */
  byte[] open(IdempotencyKey key, StoredReply reply) {
    return open(key, reply, false);
  }

  /**
   * As {@link #open(IdempotencyKey, StoredReply)}.
   *
   * @param mine whether it was kept by the same attempt, which could not know it
   */
  byte[] open(IdempotencyKey key, StoredReply reply, boolean mine) {
    return switch (reply.kind()) {
      case ANSWER -> reply.bytes();
      case REFUSAL -> throw new RefusedException(reply.bytes(), !mine, null);
      case UNKEPT ->
          throw ReplyTooLargeException.unkept(
              key, new String(reply.bytes(), StandardCharsets.US_ASCII));
      case REFERENCE -> fromVault(key, new String(reply.bytes(), StandardCharsets.UTF_8));
    };
  }

  private byte[] fromVault(IdempotencyKey key, String name) {
    ReplyVault vault = settings.vault();
    if (vault == null) {
      throw new IncompleteRecordException(
          key, "is kept in a vault, and there is none here; name it by vault(…)");
    }
    byte[] kept = vault.get(key, name);
    if (kept == null) {
      throw new IncompleteRecordException(
          key, "is kept in a vault that does not have it any more: " + Excerpt.quoted(name));
    }
    return kept;
  }

  /** What whoever begins is told of a record that is not theirs. */
  <R> Begun<R> told(IdempotencyKey key, Claimed claimed) {
    if (claimed instanceof Claimed.Done done) {
      return done.reply().kind() == StoredReply.Kind.REFUSAL
          ? new Begun.Replayed<>(done.reply().bytes(), true)
          : new Begun.Replayed<>(open(key, done.reply()), false);
    }
    if (claimed instanceof Claimed.Busy busy) {
      return new Begun.InProgress<>(busy.since(), Once.retryAfter(busy));
    }
    if (claimed instanceof Claimed.OtherPayload) {
      return new Begun.Mismatch<>();
    }
    throw Once.unanswered(key);
  }
}
