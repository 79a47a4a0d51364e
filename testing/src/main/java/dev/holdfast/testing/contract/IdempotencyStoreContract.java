package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRecord;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.Ownership;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.idempotency.spi.IdempotencyStore.StoredResult;
import dev.holdfast.testing.ConcurrentActors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Workflows on idempotency records in a store, step by step. */
public abstract class IdempotencyStoreContract extends IdempotencyTests {
  protected IdempotencyStoreContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @Test
  void grantsNewKeyAndRejectsOther() {
    ClaimResult.Granted first = granted(request("x"));

    ClaimResult.InProgress told = busy(request("x"));

    assertThat(first.attempts()).isEqualTo(1);
    assertThat(first.steps()).isEmpty();
    assertThat(told.leaseRemaining()).isBetween(LONG.minusMinutes(1), LONG);
    assertThat(told.startedAt()).isEqualTo(record("x").startedAt());
    granted(request("y"));
  }

  @Test
  void rejectionChangesNothing() {
    granted(flow("x", "a", LONG));
    IdempotencyRecord before = record("x");

    for (int i = 0; i < 5; i++) {
      busy(request("x", SHORT));
      store.claim(with(OTHER_PAYLOAD, request("x", SHORT)));
    }

    assertThat(record("x")).isEqualTo(before);
    assertThat(busy(request("x")).leaseRemaining()).isGreaterThan(LONG.minusMinutes(1));
  }

  @Test
  void repeatedClaimCountsOnce() {
    ClaimRequest first = request("x");
    granted(first);
    store.record(hold(first), step("a", "1"), LONG);

    ClaimResult.Granted again = granted(first);

    assertThat(again.attempts()).isEqualTo(1);
    assertThat(again.steps()).containsExactly(step("a", "1"));
  }

  @Test
  void rejectsOtherPayloadInEveryState() {
    ClaimRequest first = request("x");
    granted(first);
    ClaimRequest other = with(OTHER_PAYLOAD, request("x"));

    assertThat(store.claim(other)).isInstanceOf(ClaimResult.KeyReused.class);
    store.release(hold(first), Duration.ZERO);
    assertThat(store.claim(other)).isInstanceOf(ClaimResult.KeyReused.class);
    ClaimRequest second = request("x");
    granted(second);
    store.complete(hold(second), answer("done"), DAY);
    assertThat(store.claim(other)).isInstanceOf(ClaimResult.KeyReused.class);
    assertThat(done(request("x"))).isEqualTo(answer("done"));
  }

  @Test
  void whatIsDoneIsAnsweredToAll() {
    ClaimRequest first = request("x");
    granted(first);

    assertThat(store.complete(hold(first), answer("done"), DAY)).isTrue();

    ClaimResult told = store.claim(request("x"));
    assertThat(told).isEqualTo(new ClaimResult.Completed(answer("done"), first.ownerId()));
    assertThat(store.claim(first)).isEqualTo(told);
    assertThat(status("x")).isEqualTo(Status.COMPLETED);
  }

  @Test
  void repliesOfAllKindsAndSizesAreKept() {
    byte[] large = new byte[2 << 20];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31);
    }
    for (StoredResult.Kind kind : StoredResult.Kind.values()) {
      for (byte[] content : List.of(new byte[0], new byte[] {0, -1, 13, 10, 0, 39}, large)) {
        ClaimRequest request = request(kind + " of " + content.length);
        granted(request);
        StoredResult reply = new StoredResult(kind, content);
        assertThat(store.complete(hold(request), reply, DAY)).isTrue();
        assertThat(store.claim(request(request.key().key())))
            .isEqualTo(new ClaimResult.Completed(reply, request.ownerId()));
        assertThat(record(request.key().key()).result()).contains(reply);
      }
    }
  }

  @Test
  void repeatedCompletionReturnsSameResult() {
    ClaimRequest first = request("x");
    granted(first);
    store.complete(hold(first), answer("done"), DAY);

    assertThat(store.complete(hold(first), answer("done"), DAY)).isTrue();
    assertThat(done(request("x"))).isEqualTo(answer("done"));
  }

  @Test
  void whatIsDoneCannotBeChangedAnyMore() {
    ClaimRequest first = request("x");
    granted(first);
    store.complete(hold(first), answer("done"), DAY);
    IdempotencyRecord before = record("x");

    assertThat(store.renew(hold(first), LONG)).isFalse();
    assertThat(store.record(hold(first), step("a", "1"), LONG)).isFalse();
    assertThat(store.release(hold(first), Duration.ZERO)).isFalse();
    store.complete(hold(first), answer("something else"), DAY.multipliedBy(2));
    assertThat(store.complete(new Ownership(key("x"), UUID.randomUUID()), answer("other"), DAY))
        .isFalse();

    assertThat(record("x")).isEqualTo(before);
  }

  @Test
  void keepsStepsInOrder() throws Exception {
    ClaimRequest first = request("x", Duration.ofSeconds(30));
    granted(first);
    List<Step> steps =
        List.of(
            step("charge", "c1"),
            step("a", ""),
            new Step("b\u00e4\ud83d\ude00", new byte[] {0, -1, 0}),
            new Step("large", new byte[300_000]));
    for (Step step : steps) {
      assertThat(store.record(hold(first), step, LONG)).isTrue();
    }
    assertThat(busy(request("x")).leaseRemaining())
        .as("prolonged")
        .isGreaterThan(LONG.minusMinutes(1));
    assertThat(record("x").steps()).isEqualTo(steps.stream().map(Step::name).toList());
    store.release(hold(first), Duration.ZERO);

    ClaimRequest second = request("x", SHORT);
    assertThat(granted(second).steps()).isEqualTo(steps);
    Step more = step("more", "m");
    assertThat(store.record(hold(second), more, SHORT)).isTrue();

    List<Step> all = new ArrayList<>(steps);
    all.add(more);
    assertThat(takenOver(request("x")).steps()).isEqualTo(all);
  }

  @Test
  void aStepThatIsSaidTwiceCountsOnce() {
    ClaimRequest first = request("x");
    granted(first);
    store.record(hold(first), step("a", "1"), LONG);
    store.record(hold(first), step("b", "2"), LONG);

    assertThat(store.record(hold(first), step("a", "1"), LONG)).isTrue();

    assertThat(record("x").steps()).containsExactly("a", "b");
    store.release(hold(first), Duration.ZERO);
    assertThat(granted(request("x")).steps()).containsExactly(step("a", "1"), step("b", "2"));
  }

  @Test
  void findReturnsWholeRecord() {
    IdempotencyKey key =
        new IdempotencyKey("t\u00e4nant", "\ud83d\ude00 principal", "POST /orders", "key 'x' \"%_");
    ClaimRequest request =
        new ClaimRequest(
            key, PAYLOAD, UUID.randomUUID(), LONG, DAY, flow("x", "order", LONG).work());
    granted(request);
    store.record(hold(request), step("a", "1"), LONG);

    IdempotencyRecord found = store.find(key).orElseThrow();

    assertThat(found.key()).isEqualTo(key);
    assertThat(found.fingerprint()).isEqualTo(PAYLOAD);
    assertThat(found.status()).isEqualTo(Status.IN_PROGRESS);
    assertThat(found.attempts()).isEqualTo(1);
    assertThat(found.workflow()).contains("order");
    assertThat(found.steps()).containsExactly("a");
    assertThat(found.result()).isEmpty();
    assertThat(Duration.between(found.startedAt(), found.expiresAt()))
        .isBetween(DAY.minusMinutes(1), DAY.plusMinutes(1));
    store.complete(hold(request), answer("done"), DAY);
    found = store.find(key).orElseThrow();
    assertThat(found.status()).isEqualTo(Status.COMPLETED);
    assertThat(found.steps()).isEmpty();
    assertThat(found.result().orElseThrow()).isEqualTo(answer("done"));
    assertThat(store.find(key.tenant("another"))).isEmpty();
  }

  @Test
  void keyScopeDistinguishesRequests() {
    IdempotencyKey key = new IdempotencyKey("t", "p", "o", "k");
    List<IdempotencyKey> keys =
        List.of(
            key,
            key.tenant("T"),
            key.principal("P"),
            new IdempotencyKey("", "tp", "o", "k"),
            new IdempotencyKey("t", "p", "O", "k"),
            new IdempotencyKey("t", "p", "o", "K"),
            new IdempotencyKey("t", "p", "o", "k "),
            new IdempotencyKey("tp", "", "o", "k"),
            new IdempotencyKey("", "", "o".repeat(200), "\ud83d\ude00".repeat(127)));
    for (IdempotencyKey each : keys) {
      ClaimRequest request = new ClaimRequest(each, PAYLOAD, UUID.randomUUID(), LONG, DAY, null);
      granted(request);
      store.complete(hold(request), answer(each.toString()), DAY);
    }
    for (IdempotencyKey each : keys) {
      assertThat(store.find(each).orElseThrow().key()).isEqualTo(each);
      assertThat(done(new ClaimRequest(each, PAYLOAD, UUID.randomUUID(), LONG, DAY, null)))
          .isEqualTo(answer(each.toString()));
    }
  }

  @Test
  void ofManyAtOnceOneIsGranted() {
    for (int round = 0; round < 10; round++) {
      String name = "x" + round;
      List<ClaimResult> answers =
          ConcurrentActors.run(8, index -> place.open().claim(request(name))).resultsOrThrow();
      assertThat(answers).filteredOn(ClaimResult.Granted.class::isInstance).hasSize(1);
      assertThat(answers).filteredOn(ClaimResult.InProgress.class::isInstance).hasSize(7);
    }
  }

  @Test
  void oneOfManyTakesOverReleasedKey() {
    for (int round = 0; round < 10; round++) {
      String name = "x" + round;
      ClaimRequest first = request(name);
      granted(first);
      store.release(hold(first), Duration.ZERO);
      List<ClaimResult> answers =
          ConcurrentActors.run(8, index -> place.open().claim(request(name))).resultsOrThrow();
      assertThat(answers).filteredOn(ClaimResult.Granted.class::isInstance).hasSize(1);
      assertThat(record(name).attempts()).isEqualTo(2);
    }
  }

  @Test
  void isLinearizable() {
    AtomicInteger inside = new AtomicInteger();
    ConcurrentActors.run(
            6,
            index -> {
              for (int turns = 0; turns < 15; ) {
                ClaimRequest request = request("x");
                if (store.claim(request) instanceof ClaimResult.Granted granted) {
                  assertThat(inside.incrementAndGet()).isEqualTo(1);
                  assertThat(granted.steps()).hasSize(granted.attempts() - 1);
                  store.record(hold(request), step("s" + granted.attempts(), ""), LONG);
                  inside.decrementAndGet();
                  assertThat(store.release(hold(request), Duration.ZERO)).isTrue();
                  turns++;
                }
              }
              return null;
            })
        .resultsOrThrow();
    assertThat(record("x").steps())
        .containsExactlyElementsOf(IntStream.rangeClosed(1, 90).mapToObj(i -> "s" + i).toList());
  }
}
