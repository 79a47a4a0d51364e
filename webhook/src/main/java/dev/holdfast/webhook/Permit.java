package dev.holdfast.webhook;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The right to make one call to a target; given back once. Thread-safe. */
public final class Permit implements AutoCloseable {
  private final Circuits circuits;
  private final Circuit circuit;
  private final boolean probe;
  private final AtomicBoolean ended = new AtomicBoolean();

  Permit(Circuits circuits, Circuit circuit, boolean probe) {
    this.circuits = circuits;
    this.circuit = circuit;
    this.probe = probe;
  }

  /** Gives it back, and lets the circuit learn from what happened. */
  public void ended(Attempt attempt) {
    end(healthy(attempt));
  }

  /** Gives it back without having called; no effect if it was given back. */
  @Override
  public void close() {
    end(null);
  }

  private void end(@Nullable Boolean healthy) {
    if (ended.compareAndSet(false, true)) {
      circuits.ended(circuit, probe, healthy);
    }
  }

  /**
   * Whether the target is well, or nothing if it was not asked. A refusal of this one call (4xx)
   * does not make a target ill, and says nothing of other calls to it.
   */
  static @Nullable Boolean healthy(Attempt attempt) {
    if (attempt.error().isPresent() && attempt.status().isPresent()) {
      int status = attempt.status().getAsInt();
      boolean answeredInFull = status >= 300;
      return answeredInFull && status < 500 && status != 429;
    }
    if (attempt.status().isEmpty() && attempt.verdict() instanceof Verdict.End) {
      return null;
    }
    return attempt.succeeded();
  }
}
