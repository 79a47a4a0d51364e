package dev.holdfast.event.internal;

import java.util.ArrayList;
import java.util.List;

/**
 * Goes around the shards of one queue, each time beginning with another one, and remembers where to
 * go on in each. For one thread.
 */
public final class ShardTurns {
  private final List<ClaimBounds> bounds = new ArrayList<>();
  private int first;

  public ShardTurns(int shards) {
    for (int shard = 0; shard < shards; shard++) {
      bounds.add(new ClaimBounds());
    }
  }

  /** Claims up to so many from one shard. */
  public interface OfShard<X extends Exception> {
    List<Claimed> claim(int shard, int most, ClaimBounds from) throws X;
  }

  public int count() {
    return bounds.size();
  }

  /** Where it goes on in a shard. */
  public ClaimBounds of(int shard) {
    return bounds.get(shard);
  }

  /** Whether the next claim looks at every shard from its beginning. */
  public boolean atStart() {
    return bounds.stream().noneMatch(ClaimBounds::moved);
  }

  /** Begins at the beginning in all of them. */
  public void reset() {
    bounds.forEach(ClaimBounds::reset);
  }

  /**
   * Claims up to so many in all, from each shard its part of what the ones before it have left.
   *
   * @return whether there may be more to claim at once
   */
  public <X extends Exception> boolean claim(int most, OfShard<X> one) throws X {
    return claim(most, Long.MAX_VALUE, one);
  }

  /**
   * The same where a claim takes only so many bytes of each shard.
   *
   * @return whether there may be more to claim at once
   */
  public <X extends Exception> boolean claim(int most, long bytes, OfShard<X> one) throws X {
    int shards = bounds.size();
    boolean more = false;
    int left = most;
    for (int turn = 0; turn < shards && left > 0; turn++) {
      int shard = (first + turn) % shards;
      int after = shards - turn;
      int part = (left + after - 1) / after;
      ClaimBounds from = bounds.get(shard);
      List<Claimed> some = one.claim(shard, part, from);
      left -= some.size();
      if (some.size() == part || isCut(some, bytes)) {
        from.moveBehind(some);
        more = true;
      } else {
        // there may be others before the place where this claim began
        more |= from.reset();
      }
    }
    first = (first + 1) % shards;
    // those that had no turn
    return more || left == 0;
  }

  /** Whether these may be all for which there was room; a character has up to three bytes. */
  public static boolean isCut(List<Claimed> some, long bytes) {
    return !some.isEmpty()
        && some.stream().mapToLong(event -> event.payload().size()).sum() >= bytes / 3;
  }
}
