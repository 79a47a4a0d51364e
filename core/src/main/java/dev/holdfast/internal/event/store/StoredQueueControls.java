package dev.holdfast.internal.event.store;

import dev.holdfast.event.QueueLimit;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What all instances have to keep.
 *
 * @param paused the names of what is paused, by kind: {@code queue} or {@code type}
 * @param limits in the order in which they are locked
 */
public record StoredQueueControls(Map<String, Set<String>> paused, List<QueueLimit> limits) {}
