package dev.holdfast.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counts for {@link CacheStats}. */
final class CacheCounters {
  final LongAdder hits = new LongAdder();
  final LongAdder sharedHits = new LongAdder();
  final LongAdder loads = new LongAdder();
  final LongAdder loadFailures = new LongAdder();
  final LongAdder coalescedLocally = new LongAdder();
  final LongAdder coalescedRemotely = new LongAdder();
  final LongAdder staleServed = new LongAdder();
  final LongAdder earlyRefreshes = new LongAdder();
  final LongAdder takeovers = new LongAdder();
  final LongAdder waitsOver = new LongAdder();
  final LongAdder storeFailures = new LongAdder();

  CacheStats stats(boolean storeAnswers) {
    return new CacheStats(
        hits.sum(),
        sharedHits.sum(),
        loads.sum(),
        loadFailures.sum(),
        coalescedLocally.sum(),
        coalescedRemotely.sum(),
        staleServed.sum(),
        earlyRefreshes.sum(),
        takeovers.sum(),
        waitsOver.sum(),
        storeFailures.sum(),
        storeAnswers);
  }
}
