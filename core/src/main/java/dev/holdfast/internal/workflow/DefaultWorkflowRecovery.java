package dev.holdfast.internal.workflow;

import dev.holdfast.Health;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.spi.IdempotencyStore.Interrupted;
import dev.holdfast.internal.RepeatingService;
import dev.holdfast.internal.Require;
import dev.holdfast.workflow.Workflow;
import dev.holdfast.workflow.WorkflowRecovery;
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

/** Polls the store for interrupted workflows and resumes them, one after another. */
final class DefaultWorkflowRecovery implements WorkflowRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(WorkflowRecovery.class);

  /** Small, because inputs may be large and a batch of them is held at once. */
  private static final int BATCH_SIZE = 10;

  /** About once a minute, by default. */
  private static final int POLLS_UNTIL_REPORT = 12;

  /** How many workflows that cannot be claimed now are skipped. */
  private static final int MAX_SKIPPED = 1000;

  /** How many reported workflows are remembered; more are reported again. */
  private static final int MAX_REPORTED = 1000;

  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_BACKOFF_SECONDS = 300;

  private final DefaultWorkflows service;
  private final IdempotencyStore store;
  private final Map<String, Workflow<?, ?>> workflows;
  private final Duration interval;
  private final int maxAttempts;
  private final Set<IdempotencyKey> reported = ConcurrentHashMap.newKeySet();
  private final Polling polling = new Polling();

  DefaultWorkflowRecovery(
      DefaultWorkflows service, IdempotencyStore store, Workflow<?, ?>... workflows) {
    this(service, store, byName(workflows), Duration.ofSeconds(5), 100);
  }

  private DefaultWorkflowRecovery(
      DefaultWorkflows service,
      IdempotencyStore store,
      Map<String, Workflow<?, ?>> workflows,
      Duration interval,
      int maxAttempts) {
    this.service = service;
    this.store = store;
    this.workflows = workflows;
    this.interval = interval;
    this.maxAttempts = maxAttempts;
  }

  private static Map<String, Workflow<?, ?>> byName(Workflow<?, ?>... workflows) {
    Require.that(workflows.length > 0, "A recovery must have at least one workflow.");
    Map<String, Workflow<?, ?>> byName = new LinkedHashMap<>();
    for (Workflow<?, ?> workflow : workflows) {
      Require.notNull(workflow, "workflow");
      Require.that(
          byName.put(workflow.name(), workflow) == null,
          () ->
              "The workflows of a recovery must have different names, had '"
                  + workflow.name()
                  + "' twice.");
    }
    return byName;
  }

  @Override
  public WorkflowRecovery interval(Duration interval) {
    Require.between(
        interval, Duration.ofMillis(1), Duration.ofHours(1), "the interval of a recovery");
    return new DefaultWorkflowRecovery(service, store, workflows, interval, maxAttempts);
  }

  @Override
  public WorkflowRecovery maxAttempts(int attempts) {
    Require.between(attempts, 1, 1_000_000, "the maximum attempts of a recovery");
    return new DefaultWorkflowRecovery(service, store, workflows, interval, attempts);
  }

  /** Polls for interrupted workflows. */
  private final class Polling extends RepeatingService {
    private long polls;

    /** The thread of this service while it is inside the body of a workflow. */
    private @Nullable Thread bodyThread;

    Polling() {
      super("workflow-recovery", "holdfast-workflow-recovery", SHUTDOWN_TIMEOUT);
    }

    @Override
    protected Duration repeat() {
      try {
        int unused = recoverNow();
        if (polls++ % POLLS_UNTIL_REPORT == 0) {
          if (reported.size() > MAX_REPORTED) {
            reported.clear();
          }
          exhausted(BATCH_SIZE).forEach(DefaultWorkflowRecovery.this::report);
        }
        succeeded();
      } catch (RuntimeException | Error e) {
        if (failed("workflow-recovery-failed", "could not look for interrupted workflows: " + e)) {
          LOG.warn(
              "workflow-recovery-failed: could not look for interrupted workflows; retrying in {}:"
                  + " {}",
              interval,
              e.toString());
        }
      }
      // random, so that instances that start together do not poll at the same time
      long millis = interval.toMillis();
      return Duration.ofMillis(ThreadLocalRandom.current().nextLong(millis / 2, millis + 1));
    }

    synchronized void mark(boolean inBody) {
      if (isOwnThread()) {
        bodyThread = inBody ? Thread.currentThread() : null;
      }
    }

    /** An interrupt in the middle of a statement of Holdfast would break a database in files. */
    @Override
    protected synchronized boolean interrupt(Thread thread) {
      if (bodyThread == thread) {
        UninterruptibleCalls.interrupt(thread);
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
    return polling.name();
  }

  @Override
  public void start() {
    polling.start();
  }

  @Override
  public boolean stop(Duration timeout) {
    return polling.stop(timeout);
  }

  @Override
  public boolean isRunning() {
    return polling.isRunning();
  }

  @Override
  public Health health() {
    return polling.health();
  }

  @Override
  public void close() {
    polling.close();
  }

  @Override
  public int recoverNow() {
    int completed = 0;
    Set<IdempotencyKey> tried = new HashSet<>();
    int limit = BATCH_SIZE;
    while (true) {
      List<Interrupted> batch =
          store.interrupted(workflows.keySet(), Attempts.below(maxAttempts), limit);
      int skipped = 0;
      for (Interrupted interrupted : batch) {
        if (!polling.goesOn() || Thread.currentThread().isInterrupted()) {
          return completed;
        }
        if (tried.add(interrupted.key())) {
          completed += resume(interrupted) ? 1 : 0;
        } else {
          skipped++;
        }
      }
      if (batch.size() < limit || skipped > MAX_SKIPPED) {
        return completed;
      }
      // records that a transaction has locked come again, before all others
      limit = BATCH_SIZE + skipped;
    }
  }

  @Override
  public List<IdempotencyKey> exhausted(int limit) {
    Require.between(limit, 1, 1_000_000, "the limit of exhausted workflows");
    return store.interrupted(workflows.keySet(), Attempts.from(maxAttempts), limit).stream()
        .map(Interrupted::key)
        .toList();
  }

  private void report(IdempotencyKey key) {
    if (reported.add(key)) {
      LOG.warn(
          "workflow-exhausted: the workflow of request {} reached {} attempts; not resumed until"
              + " the client retries",
          key,
          maxAttempts);
    }
  }

  private boolean resume(Interrupted interrupted) {
    Workflow<?, ?> workflow =
        Require.notNull(workflows.get(interrupted.work().workflow()), "workflow");
    int attempt = interrupted.attempts() + 1;
    try {
      return service.resume(marked(workflow), interrupted);
    } catch (RejectedException e) {
      return !e.isReplayed();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (Throwable e) { // the other workflows continue
      boolean last = attempt >= maxAttempts;
      if (last) {
        reported.add(interrupted.key());
      }
      LOG.warn(
          "workflow-failed: workflow '{}' of request {} failed at attempt {}; {}: {}",
          workflow.name(),
          interrupted.key(),
          attempt,
          last ? "not resumed until the client retries" : "next attempt in " + backoff(attempt),
          e.toString(),
          e);
      return false;
    }
  }

  /** Marks the thread as inside the body, for {@link #stop}. */
  private <A extends @Nullable Object, T extends @Nullable Object> Workflow<A, T> marked(
      Workflow<A, T> workflow) {
    return new Workflow<>(
        workflow.name(),
        workflow.inputCodec(),
        workflow.resultCodec(),
        (input, steps) -> {
          polling.mark(true);
          try {
            return workflow.body().run(input, steps);
          } finally {
            polling.mark(false);
          }
        });
  }

  /** The pause after this many attempts. */
  static Duration backoff(int attempts) {
    return Duration.ofSeconds(
        Math.min(MAX_BACKOFF_SECONDS, 1L << Math.min(10, Math.max(0, attempts - 1))));
  }
}
