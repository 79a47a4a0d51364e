package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryNotificationInfo;
import java.lang.management.MemoryPoolMXBean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.Notification;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HeapWatchTest {
  private final AtomicInteger warnings = new AtomicInteger();

  /** What is in flight is asked for by the warning only. */
  private final HeapWatch watch = new HeapWatch(warnings::incrementAndGet);

  @AfterEach
  void stop() {
    watch.stop();
  }

  @Test
  void thresholdIsBelowLargestPool() {
    watch.start();
    assertThat(watch.isRunning()).isTrue();
    assertThat(ManagementFactory.getMemoryPoolMXBeans())
        .filteredOn(MemoryPoolMXBean::isCollectionUsageThresholdSupported)
        .anySatisfy(
            pool ->
                assertThat(pool.getCollectionUsageThreshold())
                    .isGreaterThan(pool.getUsage().getMax() / 2)
                    .isLessThan(pool.getUsage().getMax()));
    watch.stop();
    assertThat(watch.isRunning()).isFalse();
  }

  @Test
  void warnsIfHeapIsFullAfterCollection() {
    watch.handleNotification(notification(MemoryNotificationInfo.MEMORY_THRESHOLD_EXCEEDED), null);
    assertThat(warnings).hasValue(0);
    watch.handleNotification(
        notification(MemoryNotificationInfo.MEMORY_COLLECTION_THRESHOLD_EXCEEDED), null);
    assertThat(warnings).hasValue(1);
  }

  private Notification notification(String type) {
    return new Notification(type, this, 1);
  }
}
