package dev.holdfast.server;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.IntSupplier;
import javax.management.ListenerNotFoundException;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Warns in the log when a garbage collection leaves the heap nearly full: what exhausts it should
 * not be known from the last line only.
 */
final class HeapWatch implements SmartLifecycle, NotificationListener {
  private static final Logger LOG = LoggerFactory.getLogger(HeapWatch.class);
  private static final double FULL = 0.9;
  private static final long MIB = 1024 * 1024;

  private final IntSupplier inFlight;
  private @Nullable MemoryPoolMXBean pool;

  /**
   * @param inFlight how many webhooks are in flight
   */
  HeapWatch(IntSupplier inFlight) {
    this.inFlight = inFlight;
  }

  /** The pool of what has lived for long, which is the largest that is collected. */
  private static Optional<MemoryPoolMXBean> oldGeneration() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .filter(MemoryPoolMXBean::isCollectionUsageThresholdSupported)
        .filter(pool -> pool.getUsage().getMax() > 0)
        .max(Comparator.comparingLong(pool -> pool.getUsage().getMax()));
  }

  @Override
  public synchronized void start() {
    oldGeneration()
        .ifPresent(
            found -> {
              found.setCollectionUsageThreshold((long) (found.getUsage().getMax() * FULL));
              emitter().addNotificationListener(this, null, null);
              pool = found;
            });
  }

  @Override
  public synchronized void stop() {
    if (pool != null) {
      pool = null;
      try {
        emitter().removeNotificationListener(this);
      } catch (ListenerNotFoundException e) {
        LOG.debug("the heap listener was already removed", e);
      }
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return pool != null;
  }

  @Override
  public void handleNotification(Notification notification, @Nullable Object unused) {
    if (!notification
        .getType()
        .equals(MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED)) {
      return;
    }
    MemoryUsage heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage();
    LOG.warn(
        "server-memory-low: {} of {} MiB of the heap are in use after a collection, {} webhooks are"
            + " in flight; the service exits if the heap is exhausted. Increase it with"
            + " HOLDFAST_JAVA_OPTIONS=-Xmx…, or set a lower --concurrency",
        heap.getUsed() / MIB,
        heap.getMax() / MIB,
        inFlight.getAsInt());
  }

  private static NotificationEmitter emitter() {
    return (NotificationEmitter) ManagementFactory.getMemoryMXBean();
  }
}
