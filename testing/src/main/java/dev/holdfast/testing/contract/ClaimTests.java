package dev.holdfast.testing.contract;

import dev.holdfast.idempotency.Begun;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.ClaimedWork;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.IdempotencyStore;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.ReplyCodec;
import dev.holdfast.idempotency.ReplyCodecs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of claims stand on: claims, a store that can fail, and effects outside. */
abstract class ClaimTests extends IdempotencyTests {
  static final ReplyCodec<String> TEXT = ReplyCodecs.text();

  /** What was done outside, by its key. */
  final List<String> effects = new CopyOnWriteArrayList<>();

  private final List<Claim> opened = new ArrayList<>();
  FaultyIdempotencyStore faulty;

  /** On the store that can fail; with leases that do not run out, and no waiting. */
  Claims claims;

  @SuppressWarnings("NullAway.Init")
  ClaimTests(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  @BeforeEach
  final void openClaims() {
    faulty = new FaultyIdempotencyStore(store);
    claims = claimsOn(faulty);
  }

  static Claims claimsOn(IdempotencyStore store) {
    return Claims.on(store).lease(LONG).waiting(Duration.ZERO);
  }

  <X extends Exception> OnceResult<String> run(String name, ClaimedWork<String, X> work) throws X {
    return claims.run(key(name), PAYLOAD, TEXT, work);
  }

  final Claim open(Claims claims, String name) {
    Claim claim = ((Begun.Open<Claim>) claims.begin(key(name), PAYLOAD)).record();
    opened.add(claim);
    return claim;
  }

  @AfterEach
  final void endClaims() {
    if (faulty != null) { // else there is no such database
      faulty.mend();
      opened.forEach(Claim::release);
    }
  }

  static void waitFor(CountDownLatch latch) {
    try {
      if (!latch.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("it did not come in time");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
