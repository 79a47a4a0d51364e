package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.InProgressException;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.KeyMismatchException;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.sql.CommitUnknownException;
import dev.holdfast.sql.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What the filter answers by itself. The codes are those of the exceptions of the library. */
final class Problems {
  private static final Duration STORE_RETRY = Duration.ofSeconds(5);

  /** A claim is renewed while its holder lives: what is left of it tells only when it has died. */
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(5);

  private static final int DEEPEST_CAUSE = 50;

  private Problems() {}

  static Problem keyMissing() {
    return Problem.of(
        400,
        "idempotency-key-missing",
        "An idempotency key is needed",
        "This request needs the header Idempotency-Key: a value that its sender makes up once, and"
            + " sends again whenever it repeats the request.");
  }

  static Problem keyInvalid(String why) {
    return Problem.of(
        400,
        "idempotency-key-invalid",
        "The idempotency key is not valid",
        "The header Idempotency-Key " + why + ".");
  }

  static Problem anonymous() {
    return Problem.of(
        403,
        "idempotency-anonymous",
        "Idempotency keys are only for clients that are known",
        "It is not known who sends this request, and a key of somebody unknown could be answered"
            + " with what was answered to somebody else.");
  }

  static Problem bodyTooLarge(int largest) {
    return Problem.of(
            413,
            "idempotency-body-too-large",
            "The body is too large for an idempotency key",
            "With an idempotency key a body may have at most " + largest + " bytes.")
        // what is left of the body is not read
        .header("Connection", "close");
  }

  static Problem bodyTooSlow(Duration within) {
    return Problem.of(
            408,
            "idempotency-body-too-slow",
            "The body took too long",
            "With an idempotency key a body must have come to its end within "
                + within.toMillis()
                + " ms, so that nothing was done. Repeat the request with the same key.")
        .header("Connection", "close");
  }

  static Problem lengthRequired() {
    return Problem.of(
            411,
            "idempotency-length-required",
            "The length of the body is needed",
            "With an idempotency key, a multipart body needs the header Content-Length.")
        .header("Connection", "close");
  }

  static Problem inProgress(Duration retryAfter) {
    return Problem.of(
            409,
            "idempotency-in-progress",
            "A request with this idempotency key is in progress",
            "Another request with this key is at work. Repeat this one later to get its answer.")
        .retryAfter(retryAfter.compareTo(LONGEST_RETRY) < 0 ? retryAfter : LONGEST_RETRY);
  }

  private static Problem refused(RefusedException refusal) {
    return Problem.of(422, refusal.code(), "The request is refused, and stays so", refusal.reply());
  }

  /** Of what the application has thrown; null where that is no answer. */
  static @Nullable Problem thrown(Throwable failure) {
    if (failure instanceof ProblemException known) {
      return known.problem();
    }
    if (failure instanceof RefusedException refusal) {
      return refused(refusal);
    }
    if (failure instanceof InProgressException progress) {
      return inProgress(progress.retryAfter());
    }
    return failure instanceof KeyMismatchException ? mismatch() : null;
  }

  static Problem mismatch() {
    return Problem.of(
        422,
        "idempotency-mismatch",
        "The idempotency key was used for another request",
        "This key was used before with another payload. A new request needs a new key.");
  }

  static Problem replyTooLarge(boolean tookEffect) {
    return Problem.of(
        500,
        "idempotency-too-large",
        "The answer is too large to be kept",
        tookEffect
            ? "The request took effect when it was first sent, but its answer was too large to be"
                + " kept and cannot be given again."
            : "The answer is larger than what is kept, so that the request took no effect.");
  }

  static Problem storeDown() {
    return Problem.of(
            503,
            "idempotency-store",
            "Idempotency keys cannot be looked up now",
            "Whether this request was sent before cannot be told now, so that nothing was done."
                + " Repeat it with the same key.")
        .retryAfter(STORE_RETRY);
  }

  static Problem successNotKept(int status) {
    return Problem.of(
        500,
        "idempotency-not-kept",
        "The answer of the application is not one that is kept",
        "It was a success of status "
            + status
            + ", which kept(…) or committed(…) leaves out, so that the request took no effect.");
  }

  static Problem claimLost() {
    return Problem.of(
            503,
            "idempotency-claim-lost",
            "The request took too long",
            "Another request with this key may have gone on with it. Repeat it with the same key to"
                + " learn what became of it.")
        .retryAfter(Duration.ofSeconds(1));
  }

  /** Of a transaction that was not committed, or may not have been. */
  static Problem notCommitted(@Nullable Throwable why) {
    return isRolledBackForGood(why) ? rolledBack() : notCommitted();
  }

  /**
   * Whether it is certain that it was rolled back, for a reason that the same request would meet
   * again: a constraint that was broken, or somebody inside who has failed and was not heard.
   */
  private static boolean isRolledBackForGood(@Nullable Throwable why) {
    if (SqlErrors.retryable(why)) {
      return false;
    }
    return switch (SqlErrors.classify(why)) {
      case UNIQUE_VIOLATION,
          FOREIGN_KEY_VIOLATION,
          CHECK_VIOLATION,
          NOT_NULL_VIOLATION,
          TRANSACTION_ABORTED ->
          true;
      case UNKNOWN -> why != null && !isOfDatabase(why);
      default -> false;
    };
  }

  /** Whether an error of a database is what it comes from, of which nothing more is known. */
  private static boolean isOfDatabase(Throwable why) {
    Throwable cause = why;
    for (int depth = 0; cause != null && depth < DEEPEST_CAUSE; depth++) {
      if (cause instanceof SQLException || cause instanceof CommitUnknownException) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** It is certain that it was. */
  static Problem rolledBack() {
    return Problem.of(
        500,
        "idempotency-rolled-back",
        "The request was rolled back",
        "It took no effect: something that it did failed, and its transaction could not be"
            + " committed any more, whatever the application has answered.");
  }

  /** It is not known, or may be another time. */
  static Problem notCommitted() {
    return Problem.of(
            503,
            "idempotency-not-committed",
            "The request could not be completed",
            "What it changed could not be committed, or it is not known whether it was. Repeat it"
                + " with the same key to learn what became of it.")
        .retryAfter(Duration.ofSeconds(1));
  }

  private static Problem incomplete() {
    return Problem.of(
        500,
        "idempotency-incomplete",
        "The record of this idempotency key has no answer that can be given",
        "What was kept under this key cannot be given as an answer. Whoever runs the service has to"
            + " look at it.");
  }

  /** Of a failure to look up or to begin a record: nothing was done. */
  static Problem of(HoldfastException failure) {
    if (failure instanceof ReplyTooLargeException tooLarge) {
      return replyTooLarge(tooLarge.tookEffect());
    }
    return failure instanceof IncompleteRecordException ? incomplete() : storeDown();
  }

  static Problem unreadable() {
    return incomplete();
  }
}
