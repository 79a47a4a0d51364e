package dev.holdfast.internal.event.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many more of some types, and of each limit key, one claim may take. Counts along while it
 * does. For one thread.
 */
public final class ClaimLimits {
  private final Map<String, Integer> typesLeft;
  private final @Nullable Integer perKey;
  private final Map<String, Integer> claimedByKey;

  /**
   * Those of the other types are not limited.
   *
   * @param perKey how many of each key may be claimed, null for any number
   * @param claimedByKey how many are already
   */
  ClaimLimits(
      Map<String, Integer> typesLeft, @Nullable Integer perKey, Map<String, Integer> claimedByKey) {
    this.typesLeft = new HashMap<>(typesLeft);
    this.perKey = perKey;
    this.claimedByKey = new HashMap<>(claimedByKey);
  }

  /** Whether one of this type and key may be taken; counts it if so. */
  boolean take(String type, @Nullable String limitKey) {
    Integer left = typesLeft.get(type);
    boolean keyed = perKey != null && limitKey != null;
    if ((left != null && left <= 0) || (keyed && isFull(limitKey))) {
      return false;
    }
    if (left != null) {
      typesLeft.put(type, left - 1);
    }
    if (keyed) {
      claimedByKey.merge(limitKey, 1, Integer::sum);
    }
    return true;
  }

  private boolean isFull(@Nullable String limitKey) {
    return perKey != null && claimedByKey.getOrDefault(limitKey, 0) >= perKey;
  }

  /** Those of the types of which one may be taken. */
  List<String> open(List<String> types) {
    return types.stream().filter(type -> typesLeft.getOrDefault(type, 1) > 0).toList();
  }

  /** The keys of which none may be taken. */
  List<String> fullKeys() {
    List<String> full = new ArrayList<>();
    claimedByKey.keySet().stream().filter(this::isFull).forEach(full::add);
    return full;
  }

  /** Whether something is to be left out, so that a claim may pass over it. */
  boolean bind() {
    return typesLeft.containsValue(0) || !fullKeys().isEmpty();
  }
}
