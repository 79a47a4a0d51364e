package dev.holdfast.spring;

import dev.holdfast.Holdfast;
import dev.holdfast.schedule.ScheduleRunner;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Fires due schedules, from the start of an application to its stop, whether or not the application
 * has handlers.
 *
 * <p>It is not started where the table of schedules is not there, which may be so where nobody
 * validates it. Thread-safe.
 */
public final class HoldfastSchedules implements SmartLifecycle {
  private static final Logger LOG = LoggerFactory.getLogger(HoldfastSchedules.class);
  private static final String NONE = "is-the-table-there";

  private final Holdfast holdfast;
  private volatile @Nullable ScheduleRunner running;

  HoldfastSchedules(Holdfast holdfast) {
    this.holdfast = holdfast;
  }

  /** What fires the schedules, where it runs now. */
  public Optional<ScheduleRunner> runner() {
    return Optional.ofNullable(running);
  }

  @Override
  public synchronized void start() {
    if (running == null && hasTable()) {
      running = holdfast.schedules().start();
    }
  }

  private boolean hasTable() {
    try {
      holdfast.schedules().find(NONE);
    } catch (SqlFailedException e) {
      if (e.error() == SqlError.MISSING_OBJECT) {
        LOG.info("schedules are not fired by this instance, because there is no table of them");
        return false;
      }
      LOG.warn("whether there are schedules could not be found out, trying to fire them", e);
    }
    return true;
  }

  @Override
  public synchronized void stop() {
    ScheduleRunner stopping = running;
    if (stopping != null) {
      running = null;
      stopping.close();
    }
  }

  @Override
  public boolean isRunning() {
    return running != null;
  }

  /** With the worker, before the web server begins to drain. */
  @Override
  public int getPhase() {
    return DEFAULT_PHASE;
  }
}
