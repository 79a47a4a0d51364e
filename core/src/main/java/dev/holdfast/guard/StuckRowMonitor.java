package dev.holdfast.guard;

import dev.holdfast.internal.RepeatingService;
import dev.holdfast.internal.Require;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sweeps again and again. A sweep that fails is logged and reported to the listener, and the next
 * one comes all the same. Thread-safe.
 */
final class StuckRowMonitor extends RepeatingService {
  private static final Logger LOG = LoggerFactory.getLogger(StuckRowMonitor.class);
  private static final Duration MIN_INTERVAL = Duration.ofMillis(10);
  private static final Duration MAX_INTERVAL = Duration.ofDays(1);
  private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);
  private static final double JITTER = 0.2;

  private final String name;
  private final Duration interval;
  private final Function<BooleanSupplier, SweepResult> sweep;
  private final StuckRows.Listener listener;
  private volatile @Nullable SweepResult lastResult;

  StuckRowMonitor(
      String name,
      Duration interval,
      Function<BooleanSupplier, SweepResult> sweep,
      StuckRows.Listener listener) {
    super(name, "holdfast-sweep " + name, SHUTDOWN_TIMEOUT);
    this.name = name;
    this.interval = Require.between(interval, MIN_INTERVAL, MAX_INTERVAL, "interval");
    this.sweep = sweep;
    this.listener = Require.notNull(listener, "listener");
  }

  @Override
  protected Map<String, String> details() {
    Map<String, String> details = new LinkedHashMap<>();
    SweepResult last = lastResult;
    if (last != null) {
      details.put("recovered", Integer.toString(last.recovered()));
      details.put("failed", Integer.toString(last.failed()));
      details.put("not-changed", Integer.toString(last.poisoned().size()));
    }
    return details;
  }

  @Override
  @SuppressWarnings("CatchingUnchecked") // whatever it is, the next sweep may fare better
  protected Duration repeat() {
    try {
      SweepResult result = sweep.apply(this::mayGoOn);
      lastResult = result;
      succeeded();
      log(result);
      tell(() -> listener.swept(result));
    } catch (Throwable failure) {
      if (failure instanceof SweepException stopped) {
        lastResult = stopped.result();
      }
      boolean unused = failed("sweep-failed", "the last sweep failed: " + failure);
      LOG.error("sweep-failed: sweep '{}' failed; retrying in {}", name, interval, failure);
      tell(() -> listener.failed(failure));
    }
    return pause();
  }

  private void log(SweepResult result) {
    if (!result.poisoned().isEmpty()) {
      LOG.warn(
          "sweep-rows-not-changed: sweep '{}' could not change {} rows; the next sweep tries again,"
              + " the first row: {}",
          name,
          result.poisoned().size(),
          result.poisoned().get(0));
    }
    if (result.undated() > 0) {
      LOG.warn(
          "sweep-null-timestamp: sweep '{}' skipped {} rows whose timestamp is null; set it and add"
              + " NOT NULL or a CHECK",
          name,
          result.undated());
    }
    if (result.recovered() + result.failed() > 0) {
      LOG.info(
          "sweep-recovered: sweep '{}' recovered {} rows and failed {}",
          name,
          result.recovered(),
          result.failed());
    }
  }

  @SuppressWarnings("CatchingUnchecked") // a listener must not end the monitor
  private void tell(Runnable listening) {
    try {
      listening.run();
    } catch (Throwable failure) {
      LOG.error(
          "sweep-listener-failed: the listener of sweep '{}' threw an exception; the sweep is not"
              + " affected",
          name,
          failure);
    }
  }

  private Duration pause() {
    double factor = 1 - JITTER + 2 * JITTER * ThreadLocalRandom.current().nextDouble();
    return Duration.ofNanos((long) (interval.toNanos() * factor));
  }
}
