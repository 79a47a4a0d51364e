package dev.holdfast.idempotency;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.idempotency.IdempotencyStore.Abandoned;
import dev.holdfast.idempotency.IdempotencyStore.Attempts;
import dev.holdfast.internal.RepeatingService;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes on with flows that nobody works on any more, because their process died or their work
 * failed: each from its last recorded step, whether or not the request is ever repeated. Any number
 * of instances may run one; a flow is worked on by one at a time.
 *
 * <p>{@link #stop} interrupts a flow that has not ended within its timeout; others go on with it.
 * Issue in its health: {@code workflow-recovery-failed}.
 *
 * <p>It looks every 5 s by default. A flow that fails again waits longer each time, up to 5
 * minutes; after 100 attempts it is left alone, with a warning, until its request is repeated;
 * {@link #givenUp} tells of those. Attempts of clients count too: the store does not tell them
 * apart. Its record is never removed before it is done. Thread-safe.
 */
public final class Completer implements BackgroundService {
  private static final Logger LOG = LoggerFactory.getLogger(Completer.class);

  /** Inputs may be large, and a batch of them is held at once. */
  private static final int BATCH = 10;

  /** About once a minute, by default. */
  private static final int LOOKS_UNTIL_TELLING = 12;

  /** So many that cannot be taken up now are passed by. */
  private static final int MOST_AGAIN = 1000;

  /** More are not remembered, and told again. */
  private static final int MOST_TOLD = 1000;

  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);
  private static final int LONGEST_BACKOFF_SECONDS = 300;

  private final Claims claims;
  private final IdempotencyStore store;
  private final Map<String, Flow<?, ?>> flows;
  private final Duration pause;
  private final int mostAttempts;
  private final Set<IdempotencyKey> told = ConcurrentHashMap.newKeySet();

  private final Looking looking = new Looking();

  Completer(Claims claims, IdempotencyStore store, Flow<?, ?>... flows) {
    this(claims, store, byName(flows), Duration.ofSeconds(5), 100);
  }

  private Completer(
      Claims claims,
      IdempotencyStore store,
      Map<String, Flow<?, ?>> flows,
      Duration pause,
      int mostAttempts) {
    this.claims = claims;
    this.store = store;
    this.flows = flows;
    this.pause = pause;
    this.mostAttempts = mostAttempts;
  }

  private static Map<String, Flow<?, ?>> byName(Flow<?, ?>... flows) {
    Require.that(flows.length > 0, "a completer must have at least one flow");
    Map<String, Flow<?, ?>> byName = new LinkedHashMap<>();
    for (Flow<?, ?> flow : flows) {
      Require.notNull(flow, "flow");
      Require.that(
          byName.put(flow.name(), flow) == null,
          () ->
              "the flows of a completer must have different names, had '"
                  + flow.name()
                  + "' twice");
    }
    return byName;
  }

  /** Looks for abandoned flows after this pause, 5 s by default. */
  public Completer every(Duration pause) {
    Require.between(pause, Duration.ofMillis(1), Duration.ofHours(1), "the pause of a completer");
    return new Completer(claims, store, flows, pause, mostAttempts);
  }

  /** Leaves a flow alone after so many attempts, also of clients, 100 by default. */
  public Completer mostAttempts(int attempts) {
    Require.between(attempts, 1, 1_000_000, "the attempts of a completer");
    return new Completer(claims, store, flows, pause, attempts);
  }

  /** Looks for abandoned flows, again and again. */
  private final class Looking extends RepeatingService {
    private long looks;

    /** The thread of this service while it is inside the work of a flow. */
    private @Nullable Thread atWork;

    Looking() {
      super("workflow-recovery", "holdfast-workflow-recovery", SHUTDOWN_TIMEOUT);
    }

    @Override
    protected Duration repeat() {
      try {
        int unused = complete();
        if (looks++ % LOOKS_UNTIL_TELLING == 0) {
          if (told.size() > MOST_TOLD) {
            told.clear();
          }
          givenUp(BATCH).forEach(Completer.this::tell);
        }
        succeeded();
      } catch (RuntimeException | Error e) {
        if (failed("workflow-recovery-failed", "looking for abandoned flows failed: " + e)) {
          LOG.warn("looking for abandoned flows failed and is tried again: {}", e.toString());
        }
      }
      // instances that were started together do not come together
      long millis = pause.toMillis();
      return Duration.ofMillis(ThreadLocalRandom.current().nextLong(millis / 2, millis + 1));
    }

    synchronized void mark(boolean working) {
      if (isOwnThread()) {
        atWork = working ? Thread.currentThread() : null;
      }
    }

    /** An interrupt in the middle of a statement of ours would break a database in files. */
    @Override
    protected synchronized boolean interrupt(Thread thread) {
      if (atWork == thread) {
        Uninterrupted.interrupt(thread);
        return true;
      }
      return false;
    }

    boolean goesOn() {
      return mayGoOnHere();
    }
  }

  @Override
  public String name() {
    return looking.name();
  }

  @Override
  public void start() {
    looking.start();
  }

  @Override
  public boolean stop(Duration timeout) {
    return looking.stop(timeout);
  }

  @Override
  public boolean isRunning() {
    return looking.isRunning();
  }

  @Override
  public Health health() {
    return looking.health();
  }

  @Override
  public void close() {
    looking.close();
  }

  /** Goes on with all flows that are abandoned now, on this thread; how many were completed. */
  public int complete() {
    int completed = 0;
    Set<IdempotencyKey> tried = new HashSet<>();
    int most = BATCH;
    while (true) {
      List<Abandoned> batch = store.abandoned(flows.keySet(), Attempts.below(mostAttempts), most);
      int again = 0;
      for (Abandoned abandoned : batch) {
        if (!looking.goesOn() || Thread.currentThread().isInterrupted()) {
          return completed;
        }
        if (tried.add(abandoned.key())) {
          completed += complete(abandoned) ? 1 : 0;
        } else {
          again++;
        }
      }
      if (batch.size() < most || again > MOST_AGAIN) {
        return completed;
      }
      // whose records a transaction has locked come again, before all others
      most = BATCH + again;
    }
  }

  /**
   * The flows that are left alone after too many attempts, at most so many of those that were left
   * first, by their keys. It reads their inputs too, so ask for few where those are large.
   */
  public List<IdempotencyKey> givenUp(int most) {
    Require.between(most, 1, 1_000_000, "how many flows are told");
    return store.abandoned(flows.keySet(), Attempts.from(mostAttempts), most).stream()
        .map(Abandoned::key)
        .toList();
  }

  private void tell(IdempotencyKey key) {
    if (told.add(key)) {
      LOG.warn(
          "a flow of {} has had {} attempts or more, also of clients, and is left alone until its"
              + " request is repeated",
          key,
          mostAttempts);
    }
  }

  private boolean complete(Abandoned abandoned) {
    Flow<?, ?> flow = Require.notNull(flows.get(abandoned.work().flow()), "flow");
    try {
      return claims.resume(watched(flow), abandoned);
    } catch (RefusedException e) {
      return !e.replayed();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Throwable e) { // whatever it is, the other flows go on
      boolean last = abandoned.attempts() + 1 >= mostAttempts;
      if (last) {
        told.add(abandoned.key());
      }
      LOG.warn(
          "the flow '{}' of {} failed at attempt {}{}: {}",
          flow.name(),
          abandoned.key(),
          abandoned.attempts() + 1,
          last ? " and is left alone until its request is repeated" : "",
          e.toString(),
          e);
      return false;
    }
  }

  /** With the thread marked as being at work, for {@link #stop}. */
  private <I extends @Nullable Object, T extends @Nullable Object> Flow<I, T> watched(
      Flow<I, T> flow) {
    return new Flow<>(
        flow.name(),
        flow.inputs(),
        flow.replies(),
        (input, claim) -> {
          looking.mark(true);
          try {
            return flow.work().run(input, claim);
          } finally {
            looking.mark(false);
          }
        });
  }

  /** How long a flow rests after it has failed so often. */
  static Duration pauseAfter(int attempts) {
    return Duration.ofSeconds(
        Math.min(LONGEST_BACKOFF_SECONDS, 1L << Math.min(10, Math.max(0, attempts - 1))));
  }
}
