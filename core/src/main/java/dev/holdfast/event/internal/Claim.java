package dev.holdfast.event.internal;

import java.util.List;

/**
 * What an instance wants to claim: due events of some types in one queue of one shard.
 *
 * @param owner the instance; it gets nothing when its lease has run out
 */
public record Claim(int shard, String queue, List<String> types, int most, long owner) {}
