package dev.holdfast.race.internal.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is known at the end.
 *
 * @param name of the test
 * @param database its name and version
 * @param isolation the level, as text: {@code READ COMMITTED}
 * @param actors the names of all actors
 * @param crashTest whether it is about crashes: what a clean run leaves is right
 * @param runs the number of runs, complete or pruned
 * @param prunedRuns the number of runs that were pruned because they reached a state seen before
 * @param exhaustive whether every interleaving was explored
 * @param preemptionBound up to how many preemptions every interleaving was explored; -1 if not even
 *     without
 * @param randomRuns the number of random runs, after the systematic ones
 * @param seed of the random ones
 * @param millis how long it took
 * @param warnings what the reader must know: actors that share nothing, presumed waits
 * @param notes what the reader may want to know: columns that are not compared, refusals
 * @param finding what was found; null for nothing
 */
public record Exploration(
    String name,
    String database,
    String isolation,
    List<String> actors,
    boolean crashTest,
    int runs,
    int prunedRuns,
    boolean exhaustive,
    int preemptionBound,
    int randomRuns,
    long seed,
    long millis,
    List<String> warnings,
    List<String> notes,
    @Nullable Finding finding) {}
