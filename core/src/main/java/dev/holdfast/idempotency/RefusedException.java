package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A deliberate "no" of the business, such as a card that is not covered: an answer that is kept and
 * given again to whoever repeats the request.
 *
 * <p>Thrown by the work of {@code once} or of a claim: what it changed in its own transaction is
 * rolled back, the refusal is kept, and thrown to the caller now and at every replay. In a
 * transaction that was joined it is not kept, since its owner has to roll back. Under a claim the
 * steps that are recorded are not undone, and nobody goes on with them.
 */
public final class RefusedException extends HoldfastException {
  private static final long serialVersionUID = 1L;
  private static final int LONGEST_SHOWN = 300;

  private final byte[] reply;
  private final boolean replayed;

  /** With a text that is the answer. */
  public RefusedException(String reply) {
    this(Require.notNull(reply, "reply").getBytes(StandardCharsets.UTF_8));
  }

  /** With bytes that are the answer. */
  public RefusedException(byte[] reply) {
    this(Require.notNull(reply, "reply").clone(), false, null);
  }

  RefusedException(byte[] reply, boolean replayed, @Nullable Throwable cause) {
    super(
        "idempotency-refused",
        "refused"
            + (replayed ? " as before: " : ": ")
            + Excerpt.of(new String(reply, StandardCharsets.UTF_8), LONGEST_SHOWN),
        cause);
    this.reply = reply;
    this.replayed = replayed;
  }

  /** The answer as text. */
  public String reply() {
    return new String(reply, StandardCharsets.UTF_8);
  }

  /** The answer as bytes. */
  public byte[] bytes() {
    return reply.clone();
  }

  /** Whether it was refused before, and this only says so again. */
  public boolean replayed() {
    return replayed;
  }
}
