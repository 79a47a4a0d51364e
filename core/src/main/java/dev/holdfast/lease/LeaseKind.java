package dev.holdfast.lease;

/** The kinds of leases; each kind has names of its own, which do not meet those of the others. */
public enum LeaseKind {
  /** One holder at a time. */
  EXCLUSIVE,
  /** Any number of readers, or one writer. */
  READ_WRITE,
  /** As many permits as there are, shared among holders. */
  SEMAPHORE
}
