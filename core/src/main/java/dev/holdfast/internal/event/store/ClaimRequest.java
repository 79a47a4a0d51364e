package dev.holdfast.internal.event.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an instance wants to claim: due events of some types in one queue of one shard.
 *
 * @param owner the instance; it gets nothing when its lease has run out
 * @param caps what limits leave of some types and keys, null where they leave enough of all
 * @param bytes how large the payloads may be together; the last one may go beyond it
 */
public record ClaimRequest(
    int shard,
    String queue,
    List<String> types,
    int most,
    long owner,
    @Nullable ClaimLimits caps,
    long bytes) {

  /** However large the payloads are. */
  public ClaimRequest(
      int shard,
      String queue,
      List<String> types,
      int most,
      long owner,
      @Nullable ClaimLimits caps) {
    this(shard, queue, types, most, owner, caps, Long.MAX_VALUE);
  }

  /** So many of those types that are not full. */
  ClaimRequest open(int wanted) {
    return caps == null
        ? this
        : new ClaimRequest(shard, queue, caps.open(types), wanted, owner, caps, bytes);
  }
}
