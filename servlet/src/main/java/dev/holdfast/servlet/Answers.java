package dev.holdfast.servlet;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.BeginResult;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends the response to a request that is not executed now. */
final class Answers {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

  private Answers() {}

  /** Logs why a request could not be started, unless that was logged before. */
  static void tell(IdempotencyKey key, @Nullable Throwable failure) {
    if (failure instanceof ResultTooLargeException) {
      LOG.debug(
          "idempotency-result-too-large: the response to request {} was not stored and cannot be"
              + " replayed",
          key);
    } else {
      LOG.warn(
          "idempotency-start-failed: could not start request {}; responding with an error",
          key,
          failure);
    }
  }

  static void send(
      BeginResult<?> begun, IdempotencyFilterOptions options, HttpServletResponse response)
      throws IOException {
    if (begun instanceof BeginResult.Replayed<?> replayed) {
      replay(replayed, options, response);
    } else if (begun instanceof BeginResult.InProgress<?> progress) {
      options.documented(Problems.inProgress(progress.retryAfter())).writeTo(response);
    } else if (begun instanceof BeginResult.KeyReused<?>) {
      options.documented(Problems.keyReused()).writeTo(response);
    } else {
      throw new IllegalStateException("The request is to be executed: " + begun);
    }
  }

  private static void replay(
      BeginResult.Replayed<?> replayed,
      IdempotencyFilterOptions options,
      HttpServletResponse response)
      throws IOException {
    StoredResponse stored;
    try {
      stored = StoredResponse.read(replayed.result());
    } catch (StoredResponse.UnreadableException e) {
      LOG.error(
          "idempotency-incomplete: the stored result of a request is not a response of this filter;"
              + " responding 500",
          e);
      Problems.unreadable().writeTo(response);
      return;
    }
    Replay.send(stored, options.modeHeader(), response);
  }
}
