package dev.holdfast.cache;

import dev.holdfast.codec.Codec;
import dev.holdfast.internal.Require;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRecord;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coordinates loads with other processes by the store and the leases. Each method may take as long
 * as the store, and fails if the store fails.
 */
final class CacheCoordinator<V> {
  private static final Logger LOG = LoggerFactory.getLogger(SharedCache.class);

  /** While changes are heard: only in case that one was missed. */
  private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long MIN_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Leases leases;
  private final CacheStore store;
  private final Codec<V> codec;
  private final CacheSettings settings;
  private final Epochs epochs;
  private final ChangeNotification news;
  private final LongSupplier clock;

  CacheCoordinator(
      Leases leases,
      CacheStore store,
      Codec<V> codec,
      CacheSettings settings,
      Epochs epochs,
      ChangeNotification news,
      LongSupplier clock) {
    this.leases = leases;
    this.store = store;
    this.codec = codec;
    this.settings = settings;
    this.epochs = epochs;
    this.news = news;
    this.clock = clock;
  }

  /** What the store has, fresh or not. */
  @Nullable LocalEntry<V> look(CacheName name) {
    Epochs.Moment moment = epochs.now(name);
    long now = clock.getAsLong();
    return copy(name, store.get(name.text()), moment, now);
  }

  /** Looks for a value, and tries to become the one that loads it where there is none. */
  LoadDecision<V> begin(CacheName name, long replaces) {
    news.listen();
    LocalEntry<V> copy = look(name);
    if (copy != null && answers(copy, replaces)) {
      return new LoadDecision.Found<>(copy);
    }
    LoadDecision<V> turn = elect(name, replaces);
    return turn == null ? follow(name, replaces, 0) : turn;
  }

  private boolean answers(LocalEntry<V> copy, long replaces) {
    return copy.isFresh(clock.getAsLong()) && copy.token > replaces;
  }

  /** Null where another process has the lease. */
  private @Nullable LoadDecision<V> elect(CacheName name, long replaces) {
    // the lease does not protect the transaction that the caller may have
    Optional<Lease> granted =
        leases.tryAcquire(
            LeaseRequest.of(name.lease(), settings.lease()).autoRenew().allowInTransaction());
    if (granted.isEmpty()) {
      return null;
    }
    Lease lease = granted.get();
    try {
      // the one before may have loaded it since we looked
      Epochs.Moment moment = epochs.now(name);
      long now = clock.getAsLong();
      CacheStore.Found found = store.get(name.text());
      LocalEntry<V> copy = copy(name, found, moment, now);
      if (copy != null && answers(copy, replaces)) {
        release(lease);
        return new LoadDecision.Found<>(copy);
      }
      return new LoadDecision.Lead<>(lease, found.generation(), moment, copy);
    } catch (RuntimeException e) {
      release(lease);
      throw e;
    }
  }

  /**
   * Looks again while another process loads it, and takes its place where it does not any more.
   *
   * @param waitedNanos for how long this process has waited so far
   */
  LoadDecision<V> follow(CacheName name, long replaces, long waitedNanos) {
    Epochs.Moment moment = epochs.now(name);
    long now = clock.getAsLong();
    // the mark first: who ends a load after this tells us, and who has ended it is seen by us
    LocalEntry<V> copy = copy(name, store.watch(name.text(), settings.lease()), moment, now);
    if (copy != null && answers(copy, replaces)) {
      return new LoadDecision.Found<>(copy);
    }
    Optional<Duration> leaderLeft = leaderLeft(name);
    if (leaderLeft.isEmpty()) {
      LoadDecision<V> turn = elect(name, replaces);
      if (turn != null) {
        return turn;
      }
    }
    long longest =
        news.hears()
            ? MAX_DELAY_NANOS
            : Math.max(MIN_POLL_NANOS, Math.min(MAX_POLL_NANOS, waitedNanos / 4));
    long left = leaderLeft.orElse(Duration.ZERO).toNanos();
    return new LoadDecision.Follow<>(Math.max(MIN_POLL_NANOS, Math.min(longest, left)), copy);
  }

  /** For how long at most the process that loads it is trusted without a sign of it. */
  private Optional<Duration> leaderLeft(CacheName name) {
    return leases
        .find(LeaseKey.exclusive(name.lease()))
        .flatMap(
            known ->
                known.holders().stream()
                    .map(LeaseRecord.Holder::remaining)
                    .max(Comparator.naturalOrder()));
  }

  private @Nullable LocalEntry<V> copy(
      CacheName name, CacheStore.Found found, Epochs.Moment moment, long now) {
    CacheStore.Entry entry = found.entry();
    Envelope envelope = entry == null ? null : Envelope.read(entry.body(), name);
    if (entry == null || envelope == null) {
      return null;
    }
    LocalEntry.Times times =
        LocalEntry.Times.from(
            now,
            settings.localFor().toNanos(),
            entry.freshFor().toNanos(),
            entry.keptFor().toNanos(),
            settings);
    try {
      return switch (envelope.kind()) {
        case ERROR -> LocalEntry.failed(envelope.text(), entry.token(), moment, times);
        case AGAIN ->
            LocalEntry.again(codec.decode(envelope.content()), entry.token(), moment, times);
        case EMPTY -> LocalEntry.of(null, entry.token(), moment, times, envelope.loadNanos(), 0);
        case VALUE ->
            LocalEntry.of(
                codec.decode(envelope.content()),
                entry.token(),
                moment,
                times,
                envelope.loadNanos(),
                settings.earliness());
      };
    } catch (RuntimeException e) {
      LOG.debug("the stored value of {} cannot be decoded; loading it again", name, e);
      return null;
    }
  }

  /** What the store is given. */
  byte[] body(CacheName name, Envelope envelope) {
    byte[] body = envelope.write(name);
    Require.that(
        body.length <= CacheStore.MAX_BODY_SIZE,
        () ->
            "the value of %s must have at most %d bytes to be shared, had %d"
                .formatted(name, CacheStore.MAX_BODY_SIZE, body.length));
    return body;
  }

  /**
   * Stores what was loaded.
   *
   * @return whether it was still wanted
   */
  boolean publish(
      CacheName name, LoadDecision.Lead<V> lead, byte[] body, Duration fresh, Duration kept) {
    return store.put(
        new CacheStore.Value(
            name.text(), body, lead.lease().token(), lead.generation(), fresh, kept));
  }

  void invalidate(CacheName name) {
    store.invalidate(name.text());
  }

  /** Lets another process load, and tells those who wait that there is no value. */
  void resign(CacheName name, Lease lease) {
    release(lease);
    store.tell(name.text());
  }

  static void release(Lease lease) {
    try {
      lease.release();
    } catch (RuntimeException e) {
      LOG.debug("could not release lease {}; it expires", lease.key(), e);
    }
  }

  Codec<V> codec() {
    return codec;
  }

  /** Removes from the store what is over. */
  void forget() {
    store.forget();
  }
}
