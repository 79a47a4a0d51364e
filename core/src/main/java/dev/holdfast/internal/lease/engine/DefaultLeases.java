package dev.holdfast.internal.lease.engine;

import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseCallback;
import dev.holdfast.lease.LeaseGroup;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.transaction.Transactions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The leases of a store, as applications use them. Thread-safe. */
public final class DefaultLeases implements Leases {
  private static final int MAX_INSTANCE_NAME_LENGTH = 100;
  private static final int MAX_LIMIT = 1000;

  private final LeaseEngine engine;

  private DefaultLeases(LeaseEngine engine) {
    this.engine = engine;
  }

  /**
   * The leases of a store.
   *
   * @param instanceName for operators; null for the host and the process id
   * @param transactions whose current transaction counts as open on its thread; null for none
   */
  public static Leases create(
      LeaseStore store, @Nullable String instanceName, @Nullable Transactions transactions) {
    return new DefaultLeases(
        new LeaseEngine(Require.notNull(store, "store"), checked(instanceName), transactions));
  }

  private static @Nullable String checked(@Nullable String instanceName) {
    if (instanceName == null) {
      return null;
    }
    Require.notBlank(instanceName, "the instance name of leases");
    Require.that(
        instanceName.length() <= MAX_INSTANCE_NAME_LENGTH,
        () ->
            "the instance name of leases must have at most 100 characters, had "
                + instanceName.length());
    Require.that(
        instanceName.chars().noneMatch(Character::isISOControl),
        () ->
            "the instance name of leases must have no control characters: "
                + Excerpt.quoted(instanceName));
    Require.that(
        !instanceName.startsWith("*"),
        () ->
            "the instance name of leases must not begin with an asterisk: "
                + Excerpt.quoted(instanceName));
    // a lease name with the same characters must be storable
    return LeaseKey.exclusive(instanceName).name();
  }

  @Override
  public String instanceName() {
    return engine.instanceName();
  }

  @Override
  public Lease acquire(LeaseRequest request) {
    Lease lease = engine.acquire(checked(request), request.waitTimeout(), request.isAutoRenew());
    if (lease == null) {
      throw new LeaseNotAcquiredException(request, Thread.currentThread().isInterrupted());
    }
    return lease;
  }

  @Override
  public Optional<Lease> tryAcquire(LeaseRequest request) {
    return Optional.ofNullable(
        engine.acquire(checked(request), Duration.ZERO, request.isAutoRenew()));
  }

  private static LeaseRequest checked(LeaseRequest request) {
    return Require.notNull(request, "the request of a lease");
  }

  @Override
  public LeaseGroup acquireAll(Collection<LeaseRequest> requests) {
    return new LeaseGroupAcquirer(engine).acquire(requests);
  }

  @Override
  public Optional<LeaseGroup> tryAcquireAll(Collection<LeaseRequest> requests) {
    return new LeaseGroupAcquirer(engine).tryAcquire(requests);
  }

  @Override
  public <T extends @Nullable Object, X extends Exception> T call(
      LeaseRequest request, LeaseCallback<T, X> work) throws X {
    Require.notNull(work, "work");
    try (Lease lease = acquire(request)) {
      return work.execute(lease);
    }
  }

  @Override
  public <X extends Exception> void run(LeaseRequest request, LeaseCallback.WithoutResult<X> work)
      throws X {
    Require.notNull(work, "work");
    try (Lease lease = acquire(request)) {
      work.execute(lease);
    }
  }

  @Override
  public Optional<LeaseRecord> find(LeaseKey key) {
    return engine.store().find(Require.notNull(key, "key"));
  }

  @Override
  public List<LeaseRecord> list(String prefix, @Nullable LeaseKey after, int limit) {
    if (!Require.notNull(prefix, "prefix").isEmpty()) {
      // databases reject unstorable characters, each in its own way
      LeaseKey.exclusive(prefix);
    }
    return engine.store().list(prefix, after, Require.between(limit, 1, MAX_LIMIT, "limit"));
  }

  @Override
  public OptionalLong forceRelease(LeaseKey key) {
    return engine.store().forceRelease(Require.notNull(key, "key"));
  }
}
