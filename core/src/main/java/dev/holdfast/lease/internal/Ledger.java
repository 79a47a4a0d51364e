package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseTarget;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Decides who may have a lease, by those who have it and those who were there before. */
record Ledger(List<Entry> entries) {
  /** The entries of those who have not run out. */
  static Ledger of(List<Entry> all) {
    return new Ledger(all.stream().filter(Entry::isLive).toList());
  }

  Optional<Entry> of(UUID owner) {
    return entries.stream().filter(entry -> entry.owner().equals(owner)).findFirst();
  }

  /** Whether nobody was in the queue before this one, and the permits are enough. */
  boolean grants(LeaseTarget target, UUID owner) {
    return queuedBefore(owner).isEmpty() && used(owner) + target.permits() <= target.capacity();
  }

  /** How many permits the others have. */
  private long used(UUID owner) {
    return entries.stream()
        .filter(entry -> entry.held() && !entry.owner().equals(owner))
        .mapToLong(Entry::permits)
        .sum();
  }

  private List<Entry> queuedBefore(UUID owner) {
    long mine = of(owner).filter(entry -> !entry.held()).map(Entry::arrival).orElse(Long.MAX_VALUE);
    return entries.stream().filter(entry -> !entry.held() && entry.arrival() < mine).toList();
  }

  /** Who is first in the queue. */
  Optional<UUID> first() {
    return entries.stream()
        .filter(entry -> !entry.held())
        .min(Comparator.comparingLong(Entry::arrival))
        .map(Entry::owner);
  }

  /** Who is first in the queue, this one apart. */
  Optional<UUID> next(UUID owner) {
    return new Ledger(entries.stream().filter(entry -> !entry.owner().equals(owner)).toList())
        .first();
  }

  /** For how long somebody is in the queue, this one apart, at most. */
  long waited(UUID owner) {
    return entries.stream()
        .filter(entry -> !entry.held() && !entry.owner().equals(owner))
        .mapToLong(Entry::left)
        .max()
        .orElse(0);
  }

  /** When the first of those runs out who keep this one from the lease. */
  long untilChange(UUID owner) {
    long before = queuedBefore(owner).stream().mapToLong(Entry::left).min().orElse(Long.MAX_VALUE);
    long holders =
        entries.stream()
            .filter(entry -> entry.held() && !entry.owner().equals(owner))
            .mapToLong(Entry::left)
            .min()
            .orElse(Long.MAX_VALUE);
    return Math.min(before, holders);
  }
}
