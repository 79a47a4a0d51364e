package dev.holdfast.internal.lease.store;

import dev.holdfast.lease.LeaseRequest.Target;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Decides whether a request is granted, by the holders and the waiters of its key. */
record GrantPolicy(List<LeaseEntry> entries) {
  /** Of the entries that have not expired. */
  static GrantPolicy of(List<LeaseEntry> all) {
    return new GrantPolicy(all.stream().filter(LeaseEntry::isLive).toList());
  }

  Optional<LeaseEntry> of(UUID owner) {
    return entries.stream().filter(entry -> entry.owner().equals(owner)).findFirst();
  }

  /** Whether no waiter is queued before this one, and there are enough permits. */
  boolean grants(Target target, UUID owner) {
    return queuedBefore(owner).isEmpty() && used(owner) + target.permits() <= target.capacity();
  }

  /** How many permits the other holders have. */
  private long used(UUID owner) {
    return entries.stream()
        .filter(entry -> entry.held() && !entry.owner().equals(owner))
        .mapToLong(LeaseEntry::permits)
        .sum();
  }

  private List<LeaseEntry> queuedBefore(UUID owner) {
    long mine =
        of(owner).filter(entry -> !entry.held()).map(LeaseEntry::arrival).orElse(Long.MAX_VALUE);
    return entries.stream().filter(entry -> !entry.held() && entry.arrival() < mine).toList();
  }

  /** The owner id of the first waiter. */
  Optional<UUID> first() {
    return entries.stream()
        .filter(entry -> !entry.held())
        .min(Comparator.comparingLong(LeaseEntry::arrival))
        .map(LeaseEntry::owner);
  }

  /** The owner id of the first waiter, without this one. */
  Optional<UUID> next(UUID owner) {
    return new GrantPolicy(entries.stream().filter(entry -> !entry.owner().equals(owner)).toList())
        .first();
  }

  /** How long the queue lasts without this waiter. */
  long waited(UUID owner) {
    return entries.stream()
        .filter(entry -> !entry.held() && !entry.owner().equals(owner))
        .mapToLong(LeaseEntry::left)
        .max()
        .orElse(0);
  }

  /** The time until the first holder or waiter before this one expires. */
  long untilChange(UUID owner) {
    long before =
        queuedBefore(owner).stream().mapToLong(LeaseEntry::left).min().orElse(Long.MAX_VALUE);
    long holders =
        entries.stream()
            .filter(entry -> entry.held() && !entry.owner().equals(owner))
            .mapToLong(LeaseEntry::left)
            .min()
            .orElse(Long.MAX_VALUE);
    return Math.min(before, holders);
  }
}
