package dev.holdfast.web.stats;

import dev.holdfast.event.EventStats;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much there is to do. Whoever asks has it counted where it is time to, on a thread apart, and
 * waits for that only a moment: a count that takes longer is for those who ask next. Thread-safe.
 */
final class DepthReader implements Supplier<Optional<EventStats.Depths>> {
  private static final Logger LOG = LoggerFactory.getLogger(DepthReader.class);
  private static final long WAIT_MILLIS = 300;

  private final EventStats stats;
  private final ExecutorService counter;
  private Future<?> counting = CompletableFuture.completedFuture(null);

  DepthReader(EventStats stats, ExecutorService counter) {
    this.stats = stats;
    this.counter = counter;
  }

  @Override
  public Optional<EventStats.Depths> get() {
    try {
      count().get(WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | RejectedExecutionException e) {
      // then what was counted before
    } catch (ExecutionException e) {
      LOG.debug("could not count queue depth; keeping the last count", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return stats.queueDepths();
  }

  private synchronized Future<?> count() {
    if (counting.isDone()) {
      counting = counter.submit(stats::refreshQueueDepths);
    }
    return counting;
  }
}
