package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes events of dead instances pending again. Any instance may; thread-safe. */
final class InstanceRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int BATCH = 500;
  private static final Duration INSTANCE_RETENTION = Duration.ofDays(1);

  private final EventBackend home;

  InstanceRecovery(EventBackend home) {
    this.home = home;
  }

  /** Returns whether there was something to recover. */
  boolean recover() {
    return recover(() -> true);
  }

  /** As the other one, as long as the condition holds: it is checked before each batch. */
  boolean recover(BooleanSupplier goOn) {
    List<Long> expired = home.step(() -> "looking for dead instances", home.store()::expired);
    boolean any = false;
    for (int shard = 0; shard < home.shards() && !expired.isEmpty(); shard++) {
      int of = shard;
      // also before the first: the query may have waited through an outage of the database
      boolean more = true;
      while (more && goOn.getAsBoolean()) {
        int recovered =
            home.step(
                () -> "recovering events of dead instances",
                c -> home.store().rescue(c, of, expired, BATCH));
        more = recovered > 0;
        if (more) {
          any = true;
          LOG.warn(
              "event-recovered: instances died while they handled events; {} events are pending"
                  + " again",
              recovered);
        }
      }
    }
    if (any) {
      home.notifyAllWorkers();
    }
    return any;
  }

  /** Examines each of them, and there may be many after some deployments: not for each round. */
  void deleteExpiredInstances() {
    home.call(
        () -> "deleting dead instances",
        c -> home.store().forgetInstances(c, home.shards(), INSTANCE_RETENTION));
  }
}
