package dev.holdfast.internal;

import dev.holdfast.BackgroundService;
import dev.holdfast.Health;
import dev.holdfast.Health.Issue;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A background service that repeats one task on a daemon thread of its own. What the task throws is
 * its own concern: an exception that reaches this class ends the thread. Thread-safe.
 */
public abstract class RepeatingService implements BackgroundService {
  private static final Logger LOG = LoggerFactory.getLogger(RepeatingService.class);
  private static final Duration MAX_TIMEOUT = Duration.ofDays(7);
  private static final Duration AFTER_INTERRUPT = Duration.ofSeconds(1);

  /** The service that the current thread belongs to. */
  private static final ThreadLocal<@Nullable RepeatingService> OWNER = new ThreadLocal<>();

  private final String name;
  private final String threadName;
  private final Duration shutdownTimeout;
  private volatile @Nullable Run run;
  private volatile boolean closed;
  private volatile @Nullable Failure failure;

  /** One start of the service. */
  private final class Run implements Runnable {
    final CountDownLatch stopped = new CountDownLatch(1);
    final Thread thread;

    Run() {
      thread = new Thread(this, threadName);
      thread.setDaemon(true);
    }

    boolean isOn() {
      return stopped.getCount() > 0;
    }

    @Override
    public void run() {
      OWNER.set(RepeatingService.this);
      try {
        Duration pause = firstPause();
        while (!stopped.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          pause = repeat();
        }
      } catch (InterruptedException e) {
        LOG.debug("the {} was interrupted and ended", name);
      } catch (RuntimeException | Error e) {
        LOG.error(
            "service-failed: the {} failed and ended; it does not run again until it is restarted",
            name,
            e);
      } finally {
        stopped.countDown();
      }
    }

    boolean ended(Duration within) {
      try {
        // not interrupted: that would break the connections of some drivers
        thread.join(Math.max(1, within.toMillis()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return !thread.isAlive();
    }
  }

  /** What did not work the last time, and since when. */
  private record Failure(String code, String message, long sinceNanos) {
    Issue issue() {
      return new Issue(code, message, Duration.ofNanos(System.nanoTime() - sinceNanos));
    }
  }

  protected RepeatingService(String name, String threadName, Duration shutdownTimeout) {
    this.name = name;
    this.threadName = threadName;
    this.shutdownTimeout = shutdownTimeout;
  }

  /** How long to wait before the task is run for the first time. */
  protected Duration firstPause() {
    return Duration.ZERO;
  }

  /** Runs the task once; returns how long to wait until it is run again. */
  protected abstract Duration repeat();

  /** Interrupts user code of the task, if there is some at work; true if it did. */
  protected boolean interrupt(Thread thread) {
    return false;
  }

  /** Facts for {@link #health}. */
  protected Map<String, String> details() {
    return Map.of();
  }

  /** Issues that are no failures of the last task. */
  protected List<Issue> issues() {
    Failure now = failure;
    return now == null ? List.of() : List.of(now.issue());
  }

  /** Notes that the task failed; true if it has not failed in this way the last time. */
  protected final boolean failed(String code, String message) {
    Failure before = failure;
    if (before != null && before.code.equals(code)) {
      failure = new Failure(code, message, before.sinceNanos);
      return false;
    }
    failure = new Failure(code, message, System.nanoTime());
    return true;
  }

  /** Notes that the task succeeded. */
  protected final void succeeded() {
    failure = null;
  }

  /** Whether the task may go on: the service runs, and the calling thread is still its thread. */
  protected final boolean mayGoOn() {
    Run now = run;
    return now != null && now.isOn() && (now.thread == Thread.currentThread());
  }

  /** Whether the task may go on, called by its own thread or by another one. */
  protected final boolean mayGoOnHere() {
    return isOwnThread() ? mayGoOn() : !closed;
  }

  /** Whether the calling thread is one of this service, also of an earlier start. */
  protected final boolean isOwnThread() {
    return OWNER.get() == this;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final synchronized void start() {
    if (closed) {
      throw new IllegalStateException("the " + name + " is closed and cannot be started again");
    }
    if (!isRunning()) {
      failure = null;
      Run started = new Run();
      run = started;
      started.thread.start();
    }
  }

  @Override
  public final boolean stop(Duration timeout) {
    Require.between(timeout, Duration.ZERO, MAX_TIMEOUT, "timeout");
    Run stopping;
    synchronized (this) {
      stopping = run;
      if (stopping == null) {
        return true;
      }
      stopping.stopped.countDown();
    }
    if (stopping.thread == Thread.currentThread() || stopping.ended(timeout)) {
      return true;
    }
    if (interrupt(stopping.thread)) {
      if (!stopping.ended(AFTER_INTERRUPT)) {
        LOG.warn(
            "service-stop-timeout: the {} ignores its interrupt at shutdown; its thread ends with"
                + " its current run",
            name);
      }
    } else {
      LOG.warn(
          "service-stop-timeout: the {} did not end within {}, the database may not respond; its"
              + " thread ends with its current run",
          name,
          timeout);
    }
    return false;
  }

  @Override
  public final boolean isRunning() {
    Run now = run;
    return now != null && now.isOn();
  }

  @Override
  public final Health health() {
    return isRunning() ? Health.running(issues(), details()) : Health.stopped();
  }

  @Override
  public final void close() {
    synchronized (this) {
      closed = true;
    }
    boolean unused = stop(shutdownTimeout);
  }

  @Override
  public String toString() {
    return name + (isRunning() ? "" : " (stopped)");
  }
}
