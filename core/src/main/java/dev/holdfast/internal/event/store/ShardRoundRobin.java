package dev.holdfast.internal.event.store;

import java.util.ArrayList;
import java.util.List;

/**
 * Goes around the shards of one queue, each time beginning with another one, and remembers where to
 * go on in each. For one thread.
 */
public final class ShardRoundRobin {
  private final List<ClaimCursor> bounds = new ArrayList<>();
  private int first;

  public ShardRoundRobin(int shards) {
    for (int shard = 0; shard < shards; shard++) {
      bounds.add(new ClaimCursor());
    }
  }

  /** Claims up to so many from one shard. */
  public interface OfShard<X extends Exception> {
    List<ClaimedEvent> claim(int shard, int most, ClaimCursor from) throws X;
  }

  public int count() {
    return bounds.size();
  }

  /** Where it goes on in a shard. */
  public ClaimCursor of(int shard) {
    return bounds.get(shard);
  }

  /** Whether the next claim looks at every shard from its beginning. */
  public boolean atStart() {
    return bounds.stream().noneMatch(ClaimCursor::moved);
  }

  /** Begins at the beginning in all of them. */
  public void reset() {
    bounds.forEach(ClaimCursor::reset);
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
      ClaimCursor from = bounds.get(shard);
      List<ClaimedEvent> some = one.claim(shard, part, from);
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
  public static boolean isCut(List<ClaimedEvent> some, long bytes) {
    return !some.isEmpty()
        && some.stream().mapToLong(event -> event.payload().size()).sum() >= bytes / 3;
  }
}
