package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A business rejection, such as a declined card. It is recorded, and every duplicate of the request
 * gets the same rejection.
 *
 * <p>Thrown by the work of {@link Idempotency#execute} or of a workflow. The changes of the work in
 * its transaction are rolled back, the rejection is recorded, and it is thrown to the caller now
 * and on every replay.
 *
 * <p><b>Does not guarantee:</b> in a joined transaction a rejection is not recorded, because the
 * owner rolls back. Recorded steps of a workflow are not undone, and the workflow is not resumed.
 */
public final class RejectedException extends HoldfastException {
  private static final long serialVersionUID = 1L;
  private static final int MAX_EXCERPT = 300;

  private final byte[] result;
  private final boolean replayed;

  /** A rejection with a text as its result. */
  public RejectedException(String text) {
    this(Require.notNull(text, "text").getBytes(StandardCharsets.UTF_8));
  }

  /** A rejection with bytes as its result. */
  public RejectedException(byte[] bytes) {
    this(Require.notNull(bytes, "bytes").clone(), false, null);
  }

  /** A rejection with bytes as its result, caused by another failure. */
  public RejectedException(byte[] bytes, Throwable cause) {
    this(Require.notNull(bytes, "bytes").clone(), false, cause);
  }

  private RejectedException(byte[] result, boolean replayed, @Nullable Throwable cause) {
    super(
        "idempotency-rejected",
        (replayed ? "The request was rejected before: " : "The request is rejected: ")
            + Excerpt.of(new String(result, StandardCharsets.UTF_8), MAX_EXCERPT),
        cause);
    this.result = result;
    this.replayed = replayed;
  }

  /** The rejection of an earlier request with the same key. */
  public static RejectedException replayed(byte[] bytes) {
    return new RejectedException(Require.notNull(bytes, "bytes").clone(), true, null);
  }

  /** The result as text. */
  public String text() {
    return new String(result, StandardCharsets.UTF_8);
  }

  /** The result as bytes. */
  public byte[] bytes() {
    return result.clone();
  }

  /** Whether an earlier request was rejected, and this is its replay. */
  public boolean isReplayed() {
    return replayed;
  }
}
