package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.InstanceRecord;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.CompletionUpdate;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.internal.event.store.Requeue;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a store of events must hold by itself, whatever the worker above it does. */
public abstract class EventStoreContract extends EventContract {
  private static final Duration LEASE = Duration.ofMinutes(10);

  private EventStore store;

  @SuppressWarnings("NullAway.Init")
  protected EventStoreContract(TestDatabase database) {
    super(database);
  }

  private interface Step<T> {
    T run(Connection connection) throws Exception;
  }

  @BeforeEach
  void openStore() {
    store = EventStores.of(holdfast.dialect(), "");
  }

  /** As the engine does it: a transaction for each step, again after a deadlock. */
  private <T> T step(Step<T> step) throws Exception {
    return Transactions.on(schema.unpooled())
        .isolation(Isolation.READ_COMMITTED)
        .retrying(20)
        .<T, Exception>call(tx -> step.run(tx.connection()));
  }

  private long register() throws Exception {
    return step(connection -> store.register(connection, "an instance", LEASE));
  }

  private List<ClaimedEvent> claim(Connection connection, long owner, int most) throws Exception {
    return store.claim(
        connection,
        new ClaimRequest(0, "default", List.of("text"), most, owner, null),
        new ClaimCursor());
  }

  private List<ClaimedEvent> claim(long owner) throws Exception {
    return step(connection -> claim(connection, owner, 10));
  }

  private boolean renew(long instance) throws Exception {
    return step(connection -> store.renew(connection, instance, LEASE));
  }

  private int rescue(long dead) throws Exception {
    return step(connection -> store.rescue(connection, 0, List.of(dead), 10));
  }

  @Test
  void claimIsLimitedByPayloadSize() throws Exception {
    events.scheduleAll(
        IntStream.range(0, 10).mapToObj(i -> TEXT.event("x".repeat(100_000))).toList());
    long owner = register();
    ClaimRequest wanted = new ClaimRequest(0, "default", List.of("text"), 10, owner, null, 250_000);
    List<ClaimedEvent> some =
        step(connection -> store.claim(connection, wanted, new ClaimCursor()));
    assertThat(some).hasSize(3);
    ClaimRequest little = new ClaimRequest(0, "default", List.of("text"), 10, owner, null, 1);
    List<ClaimedEvent> one = step(connection -> store.claim(connection, little, new ClaimCursor()));
    assertThat(one).hasSize(1);
    assertThat(claim(owner)).hasSize(6);
  }

  @Test
  void threeClaimersShareTenEvents() throws Exception {
    assertEachIsClaimedOnce(3, 5, 10);
  }

  @Test
  void aHundredClaimersShareAThousandEvents() throws Exception {
    assertEachIsClaimedOnce(100, 10, 1000);
  }

  private void assertEachIsClaimedOnce(int claimers, int most, int sum) throws Exception {
    events.scheduleAll(IntStream.range(0, sum).mapToObj(i -> TEXT.event("" + i)).toList());
    List<Long> owners = new ArrayList<>();
    for (int i = 0; i < claimers; i++) {
      owners.add(register());
    }
    CountDownLatch connected = new CountDownLatch(claimers);
    CountDownLatch answered = new CountDownLatch(claimers);
    List<ClaimedEvent> claimed = new ArrayList<>();
    ConcurrentActors.run(
            LIMIT.multipliedBy(2),
            claimers,
            actor -> claimAtOnce(owners.get(actor), most, connected, answered))
        .resultsOrThrow()
        .forEach(
            ofOne -> {
              assertThat(ofOne).hasSizeLessThanOrEqualTo(most);
              claimed.addAll(ofOne);
            });
    // a row that one has only looked at may have been left out by another
    claimed.addAll(step(connection -> claim(connection, owners.get(0), sum)));

    assertThat(claimed)
        .hasSize(sum)
        .allSatisfy(event -> assertThat(event.version()).isEqualTo(2))
        .extracting(ClaimedEvent::id)
        .doesNotHaveDuplicates();
    assertThat(
            schema.count(
                "select count(*) from holdfast_event where status = 1 and version = 2 and attempts"
                    + " = 1"))
        .isEqualTo(sum);
    for (ClaimedEvent event : claimed) {
      EventRecord now = found(new EventId(0, event.id()));
      assertThat(now.status()).isEqualTo(EventStatus.PROCESSING);
    }
  }

  /** All have a transaction before the first claims, and all have claimed before one commits. */
  private List<ClaimedEvent> claimAtOnce(
      long owner, int most, CountDownLatch connected, CountDownLatch answered) throws Exception {
    AtomicBoolean first = new AtomicBoolean(true);
    return step(
        connection -> {
          boolean together = first.getAndSet(false);
          if (together) {
            connected.countDown();
            await(connected);
          }
          try {
            return claim(connection, owner, most);
          } finally {
            if (together) {
              answered.countDown();
              await(answered);
            }
          }
        });
  }

  /** An event that was claimed by an instance that died, and is pending again. */
  private ClaimedEvent recovered() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    long dead = register();
    List<ClaimedEvent> claimed = claim(dead);
    assertThat(claimed).extracting(ClaimedEvent::id).containsExactly(id.id());
    expire(dead);
    assertThat(rescue(dead)).isEqualTo(1);
    return claimed.get(0);
  }

  private void expire(long instance) {
    schema.execute(
        "update holdfast_instance set expires_at = timestamp '2020-01-01 00:00:00' where id = "
            + instance);
  }

  /** Refused while it is pending, and while it is in the hands of another. */
  private void assertRefused(ClaimedEvent stale, Step<Set<Long>> write) throws Exception {
    EventId id = new EventId(0, stale.id());
    EventRecord pending = found(id);
    assertThat(pending.status()).isEqualTo(EventStatus.PENDING);
    assertThat(this.<Set<Long>>step(write)).isEmpty();
    assertThat(found(id)).usingRecursiveComparison().isEqualTo(pending);

    long another = register();
    assertThat(claim(another)).hasSize(1);
    EventRecord processing = found(id);
    assertThat(processing.status()).isEqualTo(EventStatus.PROCESSING);
    assertThat(this.<Set<Long>>step(write)).isEmpty();
    assertThat(found(id)).usingRecursiveComparison().isEqualTo(processing);
  }

  @Test
  void aCompletionAfterRecoveryIsRefused() throws Exception {
    ClaimedEvent stale = recovered();
    CompletionUpdate done =
        new CompletionUpdate(stale.id(), stale.version(), EventStatus.COMPLETED, null);
    assertRefused(stale, connection -> store.end(connection, 0, List.of(done)));
  }

  @Test
  void aFailureAfterRecoveryIsRefused() throws Exception {
    ClaimedEvent stale = recovered();
    CompletionUpdate failed =
        new CompletionUpdate(stale.id(), stale.version(), EventStatus.FAILED, "broken");
    assertRefused(stale, connection -> store.end(connection, 0, List.of(failed)));
  }

  @Test
  void aRetryAfterRecoveryIsRefused() throws Exception {
    ClaimedEvent stale = recovered();
    Instant later = Instant.parse("2050-01-01T00:00:00Z");
    Requeue retry = new Requeue(stale.id(), stale.version(), later, null, true, "not yet");
    assertRefused(stale, connection -> store.putBack(connection, 0, List.of(retry)));
  }

  @Test
  void aSnoozeAfterRecoveryIsRefused() throws Exception {
    ClaimedEvent stale = recovered();
    Requeue snooze =
        new Requeue(stale.id(), stale.version(), null, Duration.ofDays(1), false, null);
    assertRefused(stale, connection -> store.putBack(connection, 0, List.of(snooze)));
  }

  @Test
  void returnsInstancesWithRemainingLease() throws Exception {
    long alive = register();
    long dead = register();
    long stopped = register();
    expire(dead);
    step(
        connection -> {
          store.release(connection, stopped);
          return true;
        });

    var instances = holdfast.stats().instances();

    assertThat(instances).extracting(InstanceRecord::id).containsExactly(alive, dead);
    assertThat(instances).extracting(InstanceRecord::isAlive).containsExactly(true, false);
    assertThat(instances).extracting(InstanceRecord::name).containsOnly("an instance");
    assertThat(instances.get(0).leaseRemaining()).isPositive().isLessThanOrEqualTo(LEASE);
  }

  @Test
  void aHeartbeatAfterTheLeaseIsRefused() throws Exception {
    long late = register();
    assertThat(renew(late)).isTrue();
    expire(late);
    assertThat(renew(late)).isFalse();
    List<Long> expired = step(store::expired);
    assertThat(expired).containsExactly(late);
    schedule(TEXT.event("a"));
    assertThat(claim(late)).isEmpty();
  }

  @Test
  void aHeartbeatAfterTheReleaseIsRefused() throws Exception {
    long gone = register();
    step(
        connection -> {
          store.release(connection, gone);
          return true;
        });
    assertThat(renew(gone)).isFalse();
    schedule(TEXT.event("a"));
    assertThat(claim(gone)).isEmpty();
  }

  @Test
  void anEventIsRecoveredOnce() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    long dead = register();
    assertThat(claim(dead)).hasSize(1);
    expire(dead);
    int sum =
        ConcurrentActors.run(8, actor -> rescue(dead)).resultsOrThrow().stream()
            .mapToInt(Integer::intValue)
            .sum();
    assertThat(sum).isEqualTo(1);
    assertThat(found(id).crashes()).isEqualTo(1);
    assertThat(found(id).version()).isEqualTo(3);
  }
}
