package dev.holdfast.internal.event.store;

/**
 * What was found of the keys that come next.
 *
 * @param last the last one that was looked at; empty where there are no more
 * @param seen how many were looked at
 * @param forgotten how many of them were deleted
 */
public record PrunedKeys(String last, int seen, int forgotten) {}
