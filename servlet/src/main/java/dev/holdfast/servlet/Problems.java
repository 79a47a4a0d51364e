package dev.holdfast.servlet;

import dev.holdfast.HoldfastException;
import dev.holdfast.idempotency.IncompleteRecordException;
import dev.holdfast.idempotency.KeyReusedException;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.RequestInProgressException;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The responses of the filter itself. The codes are those of the exceptions of the library. */
final class Problems {
  private static final Duration STORE_RETRY = Duration.ofSeconds(5);

  /** A lease is renewed while its process lives, so the request may end long before the lease. */
  private static final Duration MAX_RETRY = Duration.ofSeconds(5);

  private static final int DEEPEST_CAUSE = 50;

  private Problems() {}

  static Problem keyMissing() {
    return Problem.of(
        400,
        "idempotency-key-missing",
        "Idempotency key required",
        "This request needs the header Idempotency-Key: a value that the client generates once and"
            + " sends again with every retry.");
  }

  static Problem keyInvalid(String why) {
    return Problem.of(
        400,
        "idempotency-key-invalid",
        "Invalid idempotency key",
        "The header Idempotency-Key " + why + ".");
  }

  static Problem principalRequired() {
    return Problem.of(
        403,
        "idempotency-principal-required",
        "Principal required",
        "Idempotency keys require an authenticated client.");
  }

  static Problem bodyTooLarge(int largest) {
    return Problem.of(
            413,
            "idempotency-body-too-large",
            "Body too large",
            "With an idempotency key a body may have at most " + largest + " bytes.")
        // what is left of the body is not read
        .header("Connection", "close");
  }

  static Problem bodyTooSlow(Duration within) {
    return Problem.of(
            408,
            "idempotency-body-too-slow",
            "Body too slow",
            "With an idempotency key a body must arrive within "
                + within.toMillis()
                + " ms. Nothing was done. Retry with the same key.")
        .header("Connection", "close");
  }

  static Problem lengthRequired() {
    return Problem.of(
            411,
            "idempotency-length-required",
            "Content length required",
            "With an idempotency key, a multipart body needs the header Content-Length.")
        .header("Connection", "close");
  }

  static Problem inProgress(Duration retryAfter) {
    return Problem.of(
            409,
            "idempotency-in-progress",
            "Request in progress",
            "A request with this key is in progress. Retry later to get its response.")
        .retryAfter(retryAfter.compareTo(MAX_RETRY) < 0 ? retryAfter : MAX_RETRY);
  }

  private static Problem rejected(RejectedException rejection) {
    return Problem.of(422, rejection.code(), "The request was rejected", rejection.text());
  }

  /** The problem of a failure of the application; null if it has none. */
  static @Nullable Problem thrown(Throwable failure) {
    if (failure instanceof ProblemException known) {
      return known.problem();
    }
    if (failure instanceof RejectedException rejection) {
      return rejected(rejection);
    }
    if (failure instanceof RequestInProgressException progress) {
      return inProgress(progress.retryAfter());
    }
    return failure instanceof KeyReusedException ? keyReused() : null;
  }

  static Problem keyReused() {
    return Problem.of(
        422,
        "idempotency-key-reused",
        "Idempotency key reused",
        "This key was used before with another payload. Use a new key for a new request.");
  }

  static Problem resultTooLarge(boolean effective) {
    return Problem.of(
        500,
        "idempotency-result-too-large",
        "Response too large",
        effective
            ? "The request took effect when it was first sent, but its response was too large to be"
                + " stored and cannot be replayed."
            : "The response is too large to be stored. The request took no effect.");
  }

  static Problem storeUnavailable() {
    return Problem.of(
            503,
            "idempotency-store-unavailable",
            "Idempotency records unavailable",
            "The service cannot check now whether this request was sent before. Nothing was done."
                + " Retry with the same key.")
        .retryAfter(STORE_RETRY);
  }

  static Problem statusNotRecorded(int status) {
    return Problem.of(
        500,
        "idempotency-status-not-recorded",
        "Status not recorded",
        "The application responded with status "
            + status
            + ", which recordStatus(…) or commitStatus(…) excludes. The request took no effect.");
  }

  static Problem leaseLost() {
    return Problem.of(
            503,
            "idempotency-lease-lost",
            "Lease lost",
            "The request took too long, and another request with this key may have continued it."
                + " Retry with the same key to get its response.")
        .retryAfter(Duration.ofSeconds(1));
  }

  /** The problem of a transaction that was not committed, or may not have been. */
  static Problem commitUnknown(@Nullable Throwable why) {
    return isRolledBackPermanently(why) ? rolledBack() : commitUnknown();
  }

  /**
   * Whether it was certainly rolled back, for a reason that a retry would meet again: a violated
   * constraint, or a swallowed failure of a part of it.
   */
  private static boolean isRolledBackPermanently(@Nullable Throwable why) {
    if (SqlError.isRetryable(why)) {
      return false;
    }
    return switch (SqlError.of(why)) {
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

  /** Whether it was caused by an unclassified error of the database. */
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

  /** It was certainly rolled back. */
  static Problem rolledBack() {
    return Problem.of(
        500,
        "idempotency-rolled-back",
        "Request rolled back",
        "The request took no effect: a part of it failed, and its transaction could not be"
            + " committed.");
  }

  /** The outcome is unknown, or a retry may succeed. */
  static Problem commitUnknown() {
    return Problem.of(
            503,
            "idempotency-commit-unknown",
            "Commit outcome unknown",
            "The changes of the request were not committed, or the outcome of the commit is"
                + " unknown. Retry with the same key to get the outcome.")
        .retryAfter(Duration.ofSeconds(1));
  }

  private static Problem incomplete() {
    return Problem.of(
        500,
        "idempotency-incomplete",
        "Incomplete idempotency record",
        "The stored response for this key cannot be replayed. Contact the operator.");
  }

  /** The problem of a request that could not be started: nothing was done. */
  static Problem of(HoldfastException failure) {
    if (failure instanceof ResultTooLargeException tooLarge) {
      return resultTooLarge(tooLarge.isEffective());
    }
    return failure instanceof IncompleteRecordException ? incomplete() : storeUnavailable();
  }

  static Problem unreadable() {
    return incomplete();
  }
}
