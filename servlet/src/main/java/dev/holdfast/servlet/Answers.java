package dev.holdfast.servlet;

import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.ReplyTooLargeException;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a request is answered that is not worked on now. */
final class Answers {
  private static final Logger LOG = LoggerFactory.getLogger(IdempotencyFilter.class);

  private Answers() {}

  /** Logs why a record could not be begun, unless that was logged when it was made. */
  static void tell(IdempotencyKey key, @Nullable Throwable failure) {
    if (failure instanceof ReplyTooLargeException) {
      LOG.debug("the answer to {} was too large to be kept and cannot be given again", key);
    } else {
      LOG.warn("the record of {} could not be begun", key, failure);
    }
  }

  static void send(Begun<?> begun, IdempotencyOptions options, HttpServletResponse response)
      throws IOException {
    if (begun instanceof Begun.Replayed<?> replayed) {
      replay(replayed, options, response);
    } else if (begun instanceof Begun.InProgress<?> progress) {
      options.documented(Problems.inProgress(progress.retryAfter())).send(response);
    } else if (begun instanceof Begun.Mismatch<?>) {
      options.documented(Problems.mismatch()).send(response);
    } else {
      throw new IllegalStateException("it is to be worked on: " + begun);
    }
  }

  private static void replay(
      Begun.Replayed<?> replayed, IdempotencyOptions options, HttpServletResponse response)
      throws IOException {
    StoredResponse stored;
    try {
      stored = StoredResponse.read(replayed.reply());
    } catch (StoredResponse.UnreadableException e) {
      LOG.error("what is kept under an idempotency key is no response of this filter", e);
      Problems.unreadable().send(response);
      return;
    }
    Replay.send(stored, options.modeHeader(), response);
  }
}
