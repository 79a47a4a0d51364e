package dev.holdfast.event;

import dev.holdfast.event.internal.Rescued;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes events out of the hands of instances that are gone. Any instance may; thread-safe. */
final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final int BATCH = 500;
  private static final Duration INSTANCES_KEPT = Duration.ofDays(1);

  private final EventHome home;
  private final int mostCrashes;

  Recovery(EventHome home, int mostCrashes) {
    this.home = home;
    this.mostCrashes = mostCrashes;
  }

  /** Answers whether there was something to recover. */
  boolean recover() {
    return recover(() -> true);
  }

  /** As the other one, for as long as this says so. */
  boolean recover(BooleanSupplier goOn) {
    List<Long> expired = home.step(() -> "looking for dead instances", home.store()::expired);
    boolean any = false;
    for (int shard = 0; shard < home.shards() && !expired.isEmpty(); shard++) {
      int of = shard;
      Rescued rescued;
      do {
        rescued =
            home.step(
                () -> "recovering events of dead instances",
                c -> home.store().rescue(c, of, expired, mostCrashes, BATCH));
        if (rescued.sum() > 0) {
          any = true;
          LOG.warn(
              "recovered events of dead instances: {} are pending again, {} have failed",
              rescued.pending(),
              rescued.failed());
        }
      } while (rescued.sum() > 0 && goOn.getAsBoolean());
    }
    if (any) {
      home.tellOthersToLook();
    }
    return any;
  }

  /** Looks at each of them, and there may be many after some deployments: for now and then. */
  void forgetInstances() {
    home.call(
        () -> "forgetting dead instances",
        c -> home.store().forgetInstances(c, home.shards(), INSTANCES_KEPT));
  }
}
