package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.spi.IdempotencyStore.Attempts;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Interrupted;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How long a store keeps records, and which of them it tells completers of. */
public abstract class IdempotencyRetentionContract extends IdempotencyTests {
  private static final List<String> FLOWS = List.of("a", "b");

  protected IdempotencyRetentionContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  private void completed(ClaimRequest request, Duration retention) {
    granted(request);
    assertThat(store.complete(hold(request), answer("done"), retention)).isTrue();
  }

  private List<String> abandoned(int below, int most) {
    return abandoned(Attempts.below(below), most);
  }

  private List<String> abandoned(Attempts attempts, int most) {
    return store.interrupted(FLOWS, attempts, most).stream()
        .map(abandoned -> abandoned.key().key())
        .toList();
  }

  private List<String> abandoned() {
    return abandoned(1000, 100);
  }

  /** So many are removed, unless they have vanished by themselves. */
  private void assertCleanedUp(int most, int expected) {
    assertThat(store.deleteExpired(most)).isEqualTo(place.deletesByItself() ? 0 : expected);
  }

  @Test
  void expiredRecordIsAbsent() throws Exception {
    completed(request("x", LONG, SHORT, null), SHORT);
    assertThat(done(request("x"))).isEqualTo(answer("done"));

    await("the retention must be over", () -> store.find(key("x")).isEmpty());

    assertThat(store.claim(with(OTHER_PAYLOAD, request("x"))))
        .isInstanceOf(ClaimResult.Granted.class);
    assertThat(record("x").attempts()).isEqualTo(1);
    assertThat(record("x").result()).isEmpty();
  }

  @Test
  void aRecordIsKeptFromItsCompletionOn() throws Exception {
    completed(request("x", LONG, SHORT, null), DAY);
    completed(request("short", LONG, SHORT, null), SHORT);

    await("the retention of the other must be over", () -> store.find(key("short")).isEmpty());

    assertCleanedUp(10, 1);
    assertThat(done(request("x"))).isEqualTo(answer("done"));
  }

  @Test
  void aCompletionNeverShortensTheRetention() throws Exception {
    completed(request("x", LONG, DAY, null), Duration.ofMillis(1));
    completed(request("short", LONG, SHORT, null), SHORT);

    await("the retention of the other must be over", () -> store.find(key("short")).isEmpty());

    assertThat(done(request("x"))).isEqualTo(answer("done"));
  }

  @Test
  void takingOverKeepsTheRecordFromThenOn() throws Exception {
    ClaimRequest first = request("x", LONG, Duration.ofSeconds(30), null);
    granted(first);
    store.release(hold(first), Duration.ZERO);

    granted(request("x", LONG, DAY, null));

    assertThat(Duration.between(record("x").startedAt(), record("x").expiresAt()))
        .isGreaterThan(DAY.minusMinutes(1));
  }

  @Test
  void aClaimInProgressIsNeverRemoved() throws Exception {
    ClaimRequest held = request("x", LONG, Duration.ofMillis(1), null);
    granted(held);
    store.record(hold(held), step("a", "1"), LONG);
    completed(request("done", LONG, Duration.ofMillis(1), null), Duration.ofMillis(1));

    await(
        "what is done must be removed",
        () ->
            store.deleteExpired(10) > 0
                || (place.deletesByItself() && store.find(key("done")).isEmpty()));

    assertThat(status("x")).isEqualTo(Status.IN_PROGRESS);
    busy(request("x"));
    assertThat(store.deleteExpired(10)).isZero();
    assertThat(store.complete(hold(held), answer("late"), DAY)).isTrue();
    assertThat(done(request("x"))).isEqualTo(answer("late"));
  }

  @Test
  void prunesAbandonedRecords() throws Exception {
    ClaimRequest released = request("released", LONG, Duration.ofMillis(1), null);
    granted(released);
    store.release(hold(released), LONG);
    granted(request("ran out", SHORT, Duration.ofMillis(1), null));
    Set<Integer> removed = new HashSet<>();

    await(
        "both must be removed",
        () -> {
          removed.add(store.deleteExpired(10));
          return store.find(key("released")).isEmpty() && store.find(key("ran out")).isEmpty();
        });

    assertThat(removed).contains(place.deletesByItself() ? 0 : 1);
    assertThat(granted(request("released")).attempts()).isEqualTo(1);
  }

  @Test
  void unfinishedFlowsAreNeverRemovedByAge() throws Exception {
    ClaimRequest first =
        new ClaimRequest(
            key("x"),
            PAYLOAD,
            UUID.randomUUID(),
            LONG,
            Duration.ofMillis(1),
            flow("x", "a", LONG).work());
    granted(first);
    assertThat(store.record(hold(first), step("s", "1"), SHORT)).isTrue();
    await("the claim must run out", () -> status("x") == Status.INTERRUPTED);

    assertThat(store.deleteExpired(10)).isZero();
    // in Redis a little later than the record: the index of flows is another key
    await("it must be found as abandoned", () -> !abandoned().isEmpty());
    assertThat(abandoned()).containsExactly("x");
    ClaimRequest second =
        new ClaimRequest(
            key("x"), PAYLOAD, UUID.randomUUID(), LONG, Duration.ofMillis(1), first.work());
    ClaimResult.Granted granted = granted(second);
    assertThat(granted.attempts()).isEqualTo(2);
    assertThat(granted.steps()).containsExactly(step("s", "1"));
    store.complete(hold(second), answer("done"), Duration.ofMillis(1));
    await(
        "it is removed when it is done",
        () ->
            store.deleteExpired(10) == 1
                || (place.deletesByItself() && store.find(key("x")).isEmpty()));
    assertThat(store.find(key("x"))).isEmpty();
  }

  @Test
  void prunesAtMostLimit() throws Exception {
    for (int i = 0; i < 7; i++) {
      completed(request("x" + i, LONG, Duration.ofMillis(1), null), Duration.ofMillis(1));
    }
    completed(request("kept"), DAY);
    await(
        "all must be over",
        () -> IntStream.range(0, 7).allMatch(i -> store.find(key("x" + i)).isEmpty()));

    assertCleanedUp(5, 5);
    assertCleanedUp(5, 2);
    assertCleanedUp(5, 0);
    assertThat(store.find(key("kept"))).isPresent();
  }

  @Test
  void takeoverDuringCleanupKeepsRecord() throws Exception {
    for (int round = 0; round < 10; round++) {
      takeOverWhileItIsCleanedUp("round " + round + " x", 20);
    }
  }

  private void takeOverWhileItIsCleanedUp(String name, int records) throws Exception {
    for (int i = 0; i < records; i++) {
      granted(request(name + i, Duration.ofMillis(1), Duration.ofMillis(1), null));
    }
    await(
        "all must be over",
        () -> IntStream.range(0, records).allMatch(i -> store.find(key(name + i)).isEmpty()));
    Queue<ClaimRequest> taken = new ConcurrentLinkedQueue<>();

    ConcurrentActors.run(
            4,
            index -> {
              for (int i = 0; i < records; i++) {
                ClaimRequest request = request(name + i);
                if (index == 0) {
                  store.deleteExpired(2);
                } else if (settled(request) instanceof ClaimResult.Granted) {
                  taken.add(request);
                }
              }
              return null;
            })
        .resultsOrThrow();
    store.deleteExpired(1000);

    assertThat(taken).hasSize(records);
    assertThat(taken.stream().map(ClaimRequest::key)).doesNotHaveDuplicates();
    for (ClaimRequest request : taken) {
      assertThat(store.complete(hold(request), answer("done"), DAY)).isTrue();
      assertThat(record(request.key().key()).attempts()).isEqualTo(1);
    }
  }

  /** Asks again where nothing is known but that somebody changes the record: it may be removed. */
  private ClaimResult settled(ClaimRequest request) throws Exception {
    ClaimResult[] told = new ClaimResult[1];
    await(
        "what becomes of the record must be known",
        () -> {
          told[0] = store.claim(request);
          return !(told[0] instanceof ClaimResult.InProgress busy) || busy.leaseRemaining() != null;
        });
    return told[0];
  }

  @Test
  void whatIsForgottenIsNewAgain() {
    completed(request("x"), DAY);

    assertThat(store.delete(key("x"))).isEqualTo(DeleteResult.DELETED);

    assertThat(store.delete(key("x"))).isEqualTo(DeleteResult.NOT_FOUND);
    assertThat(store.find(key("x"))).isEmpty();
    assertThat(granted(request("x")).attempts()).isEqualTo(1);
  }

  @Test
  void doesNotPruneHeldRecord() {
    ClaimRequest held = flow("x", "a", LONG);
    granted(held);

    assertThat(store.delete(key("x"))).isEqualTo(DeleteResult.IN_PROGRESS);

    assertThat(store.renew(hold(held), LONG)).isTrue();
    store.release(hold(held), Duration.ZERO);
    assertThat(store.delete(key("x"))).isEqualTo(DeleteResult.DELETED);
    assertThat(abandoned()).isEmpty();
  }

  @Test
  void listsAbandonedWorkflows() throws Exception {
    granted(flow("held", "a", LONG));
    ClaimRequest released = flow("released", "b", LONG);
    granted(released);
    store.record(hold(released), step("s", "1"), LONG);
    store.release(hold(released), Duration.ZERO);
    ClaimRequest paused = flow("paused", "a", LONG);
    granted(paused);
    store.release(hold(paused), LONG);
    ClaimRequest done = flow("done", "a", LONG);
    completed(done, DAY);
    ClaimRequest other = flow("other", "unknown", LONG);
    granted(other);
    store.release(hold(other), Duration.ZERO);
    ClaimRequest none = request("none");
    granted(none);
    store.release(hold(none), Duration.ZERO);
    granted(flow("ran out", "a", SHORT));

    await("the claim must run out", () -> abandoned().size() == 2);

    assertThat(abandoned()).containsExactly("released", "ran out");
    assertThat(store.interrupted(FLOWS, Attempts.below(1000), 100).get(0))
        .isEqualTo(
            new Interrupted(
                key("released"),
                PAYLOAD,
                Objects.requireNonNull(flow("released", "b", LONG).work()),
                1));
    assertThat(abandoned(1000, 1)).containsExactly("released");
    assertThat(store.interrupted(List.of(), Attempts.below(1000), 100)).isEmpty();
    assertThat(store.interrupted(List.of("b"), Attempts.below(1000), 100)).hasSize(1);
    granted(request("released"));
    assertThat(abandoned()).containsExactly("ran out");
  }

  @Test
  void pauseEnds() throws Exception {
    ClaimRequest request = flow("x", "a", LONG);
    granted(request);
    store.release(hold(request), SHORT);

    await("the pause must be over", () -> !abandoned().isEmpty());

    assertThat(abandoned()).containsExactly("x");
  }

  @Test
  void exhaustedWorkflowsDoNotBlockOthers() {
    for (int i = 0; i < 3; i++) {
      ClaimRequest first = flow("poison" + i, "a", LONG);
      granted(first);
      store.release(hold(first), Duration.ZERO);
      ClaimRequest second = flow("poison" + i, "a", LONG);
      granted(second);
      store.release(hold(second), Duration.ZERO);
    }
    ClaimRequest healthy = flow("healthy", "a", LONG);
    granted(healthy);
    store.release(hold(healthy), Duration.ZERO);

    assertThat(abandoned(2, 1)).containsExactly("healthy");
    assertThat(abandoned(3, 10)).containsExactly("poison0", "poison1", "poison2", "healthy");
    assertThat(abandoned(1, 10)).isEmpty();
  }

  @Test
  void listsExhaustedWorkflows() {
    ClaimRequest healthy = flow("healthy", "a", LONG);
    granted(healthy);
    store.release(hold(healthy), Duration.ZERO);
    for (int attempts = 0; attempts < 2; attempts++) {
      ClaimRequest poison = flow("poison", "a", LONG);
      granted(poison);
      store.release(hold(poison), Duration.ZERO);
    }

    assertThat(abandoned(Attempts.from(2), 1)).containsExactly("poison");
    assertThat(abandoned(Attempts.from(1), 10)).containsExactly("healthy", "poison");
    assertThat(abandoned(Attempts.from(3), 10)).isEmpty();
  }
}
