package dev.holdfast.cache;

/**
 * What a cache has done in this process since it was made.
 *
 * @param hits answered from the memory of this process
 * @param sharedHits answered from the store, without waiting for anybody
 * @param loads how often a loader was called here
 * @param loadFailures how many of these failed
 * @param coalescedLocally how many calls waited for a load that another call of this process had
 *     begun
 * @param coalescedRemotely how often this process waited for a load in another process, and got its
 *     value
 * @param staleServed how many calls were answered with a value that was not fresh any more
 * @param earlyRefreshes how often a value was loaded anew before it was over
 * @param takeovers how often this process waited for another, and had to load by itself, because
 *     that one died, failed or was too slow
 * @param waitsOver how many calls had no time to wait any longer
 * @param storeFailures how often the store, or that of the leases, failed or was too slow
 * @param storeAnswers whether the store is used now; false while this process goes on without it
 */
public record CacheStats(
    long hits,
    long sharedHits,
    long loads,
    long loadFailures,
    long coalescedLocally,
    long coalescedRemotely,
    long staleServed,
    long earlyRefreshes,
    long takeovers,
    long waitsOver,
    long storeFailures,
    boolean storeAnswers) {}
