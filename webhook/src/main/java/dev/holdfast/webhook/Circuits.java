package dev.holdfast.webhook;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Spares targets: a circuit breaker, a limit of calls at a time and of calls per second, for each
 * target by itself. It delays, and never rejects.
 *
 * <p>After a number of failures in a row (no complete answer, 5xx or 429) a target is left alone
 * for a pause that grows; then one call is let through to try it. A success ends the pause at once.
 *
 * <p>Known to this instance alone, and only for as long as it runs: other instances learn by
 * themselves. Of many targets those that were not asked for longest are forgotten. Thread-safe.
 */
public final class Circuits {
  private static final int MAX_PASSED_OVER = 32;

  private final CircuitSettings settings;
  private final LongSupplier nanos;
  private final DoubleSupplier random;
  private final Map<Target, Circuit> circuits = new LinkedHashMap<>(16, 0.75f, true);

  public Circuits(CircuitSettings settings) {
    this(settings, System::nanoTime, () -> ThreadLocalRandom.current().nextDouble());
  }

  Circuits(CircuitSettings settings, LongSupplier nanos, DoubleSupplier random) {
    this.settings = settings;
    this.nanos = nanos;
    this.random = random;
  }

  /** Asks whether a call may go to this target now. */
  public synchronized Admission admit(Target target) {
    long now = nanos.getAsLong();
    Circuit circuit = circuits.get(target);
    if (circuit == null) {
      makeRoom();
      circuit = new Circuit(settings, now);
      circuits.put(target, circuit);
    }
    Admission.Wait wait = circuit.admit(now, random.getAsDouble());
    return wait != null ? wait : new Admission.Go(new Permit(this, circuit, circuit.isProbing()));
  }

  /** Whether calls to this target wait because it has failed. */
  public synchronized boolean isOpen(Target target) {
    Circuit circuit = circuits.get(target);
    return circuit != null && circuit.isOpen();
  }

  /** How many targets have calls that wait because they have failed. */
  public synchronized int open() {
    return (int) circuits.values().stream().filter(Circuit::isOpen).count();
  }

  synchronized void ended(Circuit circuit, boolean probe, @Nullable Boolean healthy) {
    circuit.ended(probe, healthy, nanos.getAsLong(), random.getAsDouble());
  }

  synchronized int remembered() {
    return circuits.size();
  }

  /** Forgets the one that was not asked for longest; one with calls under way only if it must. */
  private void makeRoom() {
    if (circuits.size() < settings.targets()) {
      return;
    }
    Iterator<Circuit> oldest = circuits.values().iterator();
    for (int i = 0; i < MAX_PASSED_OVER && oldest.hasNext(); i++) {
      if (oldest.next().isIdle()) {
        oldest.remove();
        return;
      }
    }
    oldest = circuits.values().iterator();
    oldest.next();
    oldest.remove();
  }
}
