package dev.holdfast.webhook;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a call may go to its target. It delays calls and never rejects one.
 *
 * <p>Limits:
 *
 * <ol>
 *   <li>The circuit of a target opens after a number of failures in a row, see {@link
 *       CircuitBreaker}. A rate limit per target is checked at the same place.
 *   <li>A target may have a share of the calls that are still free, and at most {@link
 *       TargetGateOptions#maxConcurrency()}. One target alone gets many, a thousand targets get one
 *       or two each, and some calls stay free for a target that has none in flight.
 *   <li>All slow targets together get at most half of the calls. A target is slow if its last call
 *       took longer than a second, or if a call in flight has taken a second.
 *   <li>Slow and unknown targets together get at most three quarters of the calls. The last quarter
 *       is for targets that are known to respond quickly.
 *   <li>The bodies in flight have a limit in bytes, for all targets together.
 * </ol>
 *
 * <p>A call that finds no place waits in the queue of its target. The queue holds as many calls as
 * the target handles in four seconds. Slow targets have no queue; targets that are not known yet
 * share {@link #UNKNOWN_QUEUE_SHARE} of the places. If the queue is full, the call is deferred. The
 * delay grows with the number of calls that wait for the same target, so that a long backlog of one
 * target is not claimed over and over.
 *
 * <p>The state is local to this instance and lost at shutdown. The targets that were idle for
 * longest are removed first; a target with calls in flight is never removed. Thread-safe.
 */
final class TargetGate {
  /** Part of all places that calls to unknown targets may wait for, in addition. */
  static final double UNKNOWN_QUEUE_SHARE = 0.25;

  private static final long SLOW_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long BUSY_NANOS = Duration.ofMillis(200).toNanos();
  private static final long MAX_WAIT_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long MIN_GAP_NANOS = Duration.ofMillis(1).toNanos() / 10;
  private static final double MIN_SHARE = 1.0 / 16;

  /** Up to this many places, one target may have all of them. */
  private static final double UNDIVIDED_PLACES = 8;

  private static final double NEWEST_WEIGHT = 0.2;

  /** With fewer places than these, none are reserved for quick targets. */
  private static final int MIN_RESERVED = 16;

  /** Bodies up to this size do not wait for large ones. */
  private static final int SMALL_BYTES = 4096;

  private static final double QUEUE_NANOS = Duration.ofSeconds(4).toNanos();

  private final TargetGateOptions options;
  private final int places;
  private final long maxBytes;
  private final Executor callbacks;
  private final LongSupplier nanos;
  private final DoubleSupplier random;
  private final double share;
  private final int maxSlow;
  private final int maxUnproven;
  private final Map<Target, TargetState> targets = new HashMap<>();

  /** Targets without calls in flight; the one that was idle for longest first. */
  private final Set<TargetState> idle = new LinkedHashSet<>();

  /** Permits of calls that may have become slow, the oldest first. */
  private final Deque<Permit> recent = new ArrayDeque<>();

  private int inFlight;
  private int slowInFlight;
  private int unprovenInFlight;
  private double typicalSlowNanos = SLOW_NANOS;
  private long nextUnprovenNanos;
  private int queuedUnknown;
  private long bytes;

  /** The state of one target; guarded by the lock of the gate. */
  private static final class TargetState {
    final Target target;
    final CircuitBreaker circuit;
    final Deque<QueuedCall> queue = new ArrayDeque<>();
    int inFlight;
    boolean slow;

    /** Moving average of the time of a call; 0 for none yet. */
    double typicalNanos;

    /** When the last deferred call may come again. */
    long nextNanos;

    TargetState(Target target, CircuitBreaker circuit, long now) {
      this.target = target;
      this.circuit = circuit;
      this.nextNanos = now;
    }

    boolean isUnknown() {
      return typicalNanos == 0;
    }

    boolean isUnproven() {
      return slow || isUnknown();
    }
  }

  /** Receives the decision about one call. One of the methods is called, once. */
  interface Listener {
    /** The call may be made now. The permit must be completed or closed. */
    void onAdmitted(Permit permit);

    /** The call must come again after this delay, which differs between calls. */
    void onDeferred(Duration delay);
  }

  private record QueuedCall(int size, Listener listener) {}

  /** The decision about a call that does not wait. */
  sealed interface Admission {
    record Admitted(Permit permit) implements Admission {}

    /** The circuit is open, or the target has reached its rate. */
    record Deferred(Duration delay) implements Admission {}

    /** There is no place, or others wait for it. */
    record Full() implements Admission {}
  }

  /** The right to make one call; released once. Thread-safe. */
  final class Permit implements AutoCloseable {
    private final TargetState state;
    private final int size;
    private final long startedNanos;
    private final boolean probe;
    private boolean released;
    private boolean slow;
    private boolean unproven;

    private Permit(TargetState state, int size, long startedNanos, boolean probe) {
      this.state = state;
      this.size = size;
      this.startedNanos = startedNanos;
      this.probe = probe;
    }

    /** Releases the permit and updates the circuit and the typical time of the target. */
    void complete(Attempt attempt) {
      release(this, attempt);
    }

    /** Releases the permit of a call that was not made; no effect if it was released. */
    @Override
    public void close() {
      release(this, null);
    }
  }

  /**
   * @param callbacks runs the listeners of queued calls, so that the thread that releases a permit
   *     does not run the calls behind it
   */
  TargetGate(int maxConcurrency, long maxBytes, TargetGateOptions options, Executor callbacks) {
    this(
        maxConcurrency,
        maxBytes,
        options,
        callbacks,
        System::nanoTime,
        () -> ThreadLocalRandom.current().nextDouble());
  }

  TargetGate(
      int maxConcurrency,
      long maxBytes,
      TargetGateOptions options,
      Executor callbacks,
      LongSupplier nanos,
      DoubleSupplier random) {
    this.options = options;
    this.places = maxConcurrency;
    this.maxBytes = maxBytes;
    this.callbacks = callbacks;
    this.nanos = nanos;
    this.random = random;
    this.share = Math.max(MIN_SHARE, Math.min(1, UNDIVIDED_PLACES / places));
    this.maxSlow = Math.max(1, places / 2);
    this.maxUnproven = places < MIN_RESERVED ? places : places - places / 4;
    this.nextUnprovenNanos = nanos.getAsLong();
  }

  /** Admits a call now, queues it, or defers it. The listener may be called before this returns. */
  void enter(Target target, int bodySize, Listener listener) {
    Admission admission = tryEnter(target, bodySize);
    if (!(admission instanceof Admission.Full)) {
      notify(listener, admission);
    } else if (!enqueue(target, new QueuedCall(bodySize, listener))) {
      listener.onDeferred(delay(target));
    }
  }

  private static void notify(Listener listener, Admission admission) {
    if (admission instanceof Admission.Admitted admitted) {
      listener.onAdmitted(admitted.permit);
    } else if (admission instanceof Admission.Deferred deferred) {
      listener.onDeferred(deferred.delay);
    }
  }

  /** Admits a call now or not, without a queue. */
  synchronized Admission tryEnter(Target target, int bodySize) {
    long now = nanos.getAsLong();
    markSlow(now);
    TargetState state = state(target, now);
    if (!state.queue.isEmpty() || !hasPlace(state) || !hasMemory(bodySize)) {
      return new Admission.Full();
    }
    bytes += bodySize;
    return admit(state, bodySize, now);
  }

  private synchronized boolean enqueue(Target target, QueuedCall call) {
    TargetState state = state(target, nanos.getAsLong());
    // a call in flight will pass its place on
    if (state.inFlight == 0 || !hasQueue(state) || !hasMemory(call.size)) {
      return false;
    }
    state.queue.add(call);
    if (state.isUnknown()) {
      queuedUnknown++;
    }
    bytes += call.size;
    return true;
  }

  private boolean hasQueue(TargetState state) {
    if (state.isUnknown()) {
      return queuedUnknown < places * UNKNOWN_QUEUE_SHARE;
    }
    return !state.slow
        && state.queue.size() < options.maxConcurrency() * QUEUE_NANOS / state.typicalNanos;
  }

  private boolean hasPlace(TargetState state) {
    return inFlight < places
        && state.inFlight < options.maxConcurrency()
        && state.inFlight < share * (places - inFlight)
        && hasUnprovenPlace(state);
  }

  private boolean hasUnprovenPlace(TargetState state) {
    return !state.isUnproven()
        || (state.inFlight < share * (maxUnproven - unprovenInFlight)
            && !(state.slow && slowInFlight >= maxSlow));
  }

  /** A body that is larger than the limit is sent if it is the only one. */
  private boolean hasMemory(int size) {
    return size <= SMALL_BYTES || bytes == 0 || bytes + size <= maxBytes;
  }

  /** Admits a call for which there is a place, unless the circuit or the rate defers it. */
  private Admission admit(TargetState state, int size, long now) {
    long waitNanos = state.circuit.admit(now, random.getAsDouble());
    if (waitNanos > 0) {
      bytes -= size;
      return new Admission.Deferred(delay(state, now, waitNanos));
    }
    inFlight++;
    state.inFlight++;
    idle.remove(state);
    Permit permit = new Permit(state, size, now, state.circuit.isProbing());
    recent.add(permit);
    if (state.slow) {
      countSlow(permit);
    } else if (state.isUnproven()) {
      countUnproven(permit);
    }
    return new Admission.Admitted(permit);
  }

  /** A call in flight for a second shows that its target is slow, before the call ends. */
  private void markSlow(long now) {
    while (!recent.isEmpty()
        && (recent.element().released || now - recent.element().startedNanos > SLOW_NANOS)) {
      Permit permit = recent.remove();
      if (!permit.released) {
        permit.state.slow = true;
        countSlow(permit);
      }
    }
  }

  private void countSlow(Permit permit) {
    countUnproven(permit);
    if (!permit.slow) {
      permit.slow = true;
      slowInFlight++;
    }
  }

  private void countUnproven(Permit permit) {
    if (!permit.unproven) {
      permit.unproven = true;
      unprovenInFlight++;
    }
  }

  /** How long a call that finds no place is deferred. */
  synchronized Duration delay(Target target) {
    long now = nanos.getAsLong();
    return delay(state(target, now), now, 0);
  }

  private Duration delay(TargetState state, long now, long minNanos) {
    state.nextNanos = next(state.nextNanos, now, state.typicalNanos / options.maxConcurrency());
    long delay = state.nextNanos - now;
    if (!hasUnprovenPlace(state)) {
      nextUnprovenNanos = next(nextUnprovenNanos, now, typicalSlowNanos / maxSlow);
      delay = Math.max(delay, nextUnprovenNanos - now);
    }
    long min = Math.max(minNanos, (long) (BUSY_NANOS * (0.5 + random.getAsDouble())));
    return Duration.ofNanos(Math.max(min, delay));
  }

  /** The time of the next call if there is one call per gap. */
  private long next(long last, long now, double gap) {
    long next = Math.max(last - now, 0) + now + Math.max(MIN_GAP_NANOS, (long) gap);
    return next - now > MAX_WAIT_NANOS
        ? now + (long) (MAX_WAIT_NANOS * (0.5 + random.getAsDouble() / 2))
        : next;
  }

  /** Number of calls in flight. */
  synchronized int inFlight() {
    return inFlight;
  }

  /** Whether calls to this target are deferred because it failed. */
  synchronized boolean isOpen(Target target) {
    TargetState state = targets.get(target);
    return state != null && state.circuit.isOpen();
  }

  /** Number of targets whose calls are deferred because they failed. */
  synchronized int openCircuits() {
    return (int) targets.values().stream().filter(state -> state.circuit.isOpen()).count();
  }

  synchronized int knownTargets() {
    return targets.size();
  }

  private void release(Permit permit, @Nullable Attempt attempt) {
    List<Runnable> decided = new ArrayList<>();
    synchronized (this) {
      if (permit.released) {
        return;
      }
      permit.released = true;
      long now = nanos.getAsLong();
      permit.state.circuit.release(
          permit.probe,
          attempt == null ? null : CircuitBreaker.isHealthy(attempt),
          now,
          random.getAsDouble());
      free(permit, attempt != null, now);
      passOn(permit.state, now, decided);
      if (permit.state.inFlight == 0) {
        idle.add(permit.state);
      }
    }
    decided.forEach(callbacks::execute);
  }

  private void passOn(TargetState state, long now, List<Runnable> decided) {
    while (!state.queue.isEmpty() && !state.slow && hasPlace(state)) {
      QueuedCall first = dequeue(state);
      Admission admission = admit(state, first.size, now);
      decided.add(() -> notify(first.listener, admission));
    }
    // slow targets have no queue; and if no call is in flight, none would pass its place on
    while (!state.queue.isEmpty() && (state.slow || state.inFlight == 0)) {
      QueuedCall first = dequeue(state);
      bytes -= first.size;
      Duration delay = delay(state, now, 0);
      decided.add(() -> first.listener.onDeferred(delay));
    }
  }

  private QueuedCall dequeue(TargetState state) {
    if (state.isUnknown()) {
      queuedUnknown--;
    }
    return state.queue.remove();
  }

  private void free(Permit permit, boolean called, long now) {
    TargetState state = permit.state;
    inFlight--;
    state.inFlight--;
    bytes -= permit.size;
    if (permit.slow) {
      slowInFlight--;
    }
    if (permit.unproven) {
      unprovenInFlight--;
    }
    if (called) {
      long took = Math.max(1, now - permit.startedNanos);
      if (state.isUnknown()) {
        queuedUnknown -= state.queue.size();
      }
      state.slow = took > SLOW_NANOS;
      state.typicalNanos += (took - state.typicalNanos) * NEWEST_WEIGHT;
      if (state.slow) {
        typicalSlowNanos += (took - typicalSlowNanos) * NEWEST_WEIGHT;
      }
    }
  }

  private TargetState state(Target target, long now) {
    TargetState state = targets.get(target);
    if (state == null) {
      removeIdle();
      state = new TargetState(target, new CircuitBreaker(options, now), now);
      targets.put(target, state);
    }
    if (state.inFlight == 0) {
      idle.remove(state);
      idle.add(state);
    }
    return state;
  }

  private void removeIdle() {
    while (targets.size() >= options.maxTargets() && !idle.isEmpty()) {
      TargetState oldest = idle.iterator().next();
      idle.remove(oldest);
      targets.remove(oldest.target);
    }
  }
}
