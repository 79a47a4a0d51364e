package dev.holdfast.idempotency;

import dev.holdfast.HoldfastException;

/** An answer, a step or an input that is larger than what may be kept. */
public final class ReplyTooLargeException extends HoldfastException {
  private static final long serialVersionUID = 1L;

  private final boolean tookEffect;

  ReplyTooLargeException(String what, boolean tookEffect) {
    super("idempotency-too-large", what, null);
    this.tookEffect = tookEffect;
  }

  static ReplyTooLargeException of(String what, int size, int largest) {
    return new ReplyTooLargeException(
        what
            + " has "
            + size
            + " bytes, more than the "
            + largest
            + " that are kept, so that it took no effect; allow more by largestReply(…), or keep"
            + " large ones elsewhere by vault(…)",
        false);
  }

  static ReplyTooLargeException ofStep(String step, int size, int largest, boolean done) {
    return new ReplyTooLargeException(
        "what came out of the step '"
            + step
            + "' has "
            + size
            + " bytes, more than the "
            + largest
            + " that are kept; "
            + again(done),
        done);
  }

  static ReplyTooLargeException ofSteps(
      IdempotencyKey key, String step, long size, int largest, boolean done) {
    return new ReplyTooLargeException(
        "the steps of "
            + key
            + " have "
            + size
            + " bytes with '"
            + step
            + "', more than the "
            + largest
            + " that are kept of all steps of a request together; "
            + again(done),
        done);
  }

  private static String again(boolean done) {
    return (done
            ? "it was done, but is not recorded, so that the next attempt does it again"
            : "it took no effect")
        + "; keep references to large ones";
  }

  static ReplyTooLargeException unkept(IdempotencyKey key, String size) {
    return new ReplyTooLargeException(
        "the request "
            + key
            + " took effect, but its answer of "
            + size
            + " bytes was too large to be kept and cannot be given again",
        true);
  }

  /** Whether the work took effect all the same. */
  public boolean tookEffect() {
    return tookEffect;
  }
}
