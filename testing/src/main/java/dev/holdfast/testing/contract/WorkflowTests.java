package dev.holdfast.testing.contract;

import dev.holdfast.Holdfast;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.IdempotencyStore;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the contracts of claims stand on: claims, a store that can fail, and effects outside. */
abstract class WorkflowTests extends IdempotencyTests {
  static final Codec<String> TEXT = Codec.text();

  /** What was done outside, by its key. */
  final List<String> effects = new CopyOnWriteArrayList<>();

  private final List<OpenWorkflow> opened = new ArrayList<>();
  FaultyIdempotencyStore faulty;

  /** On the store that can fail; with leases that do not run out, and no waiting. */
  Workflows claims;

  @SuppressWarnings("NullAway.Init")
  WorkflowTests(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @BeforeEach
  final void openClaims() {
    faulty = new FaultyIdempotencyStore(store);
    claims = claimsOn(faulty);
  }

  static Workflows claimsOn(IdempotencyStore store) {
    return claimsOn(store, o -> o);
  }

  static Workflows claimsOn(
      IdempotencyStore store, UnaryOperator<IdempotencyOptions.Builder> options) {
    return Holdfast.createWorkflows(
        store,
        options
            .apply(IdempotencyOptions.builder().leaseDuration(LONG).waitTimeout(Duration.ZERO))
            .build());
  }

  /** As the workflows of the tests, with changed options. */
  final Workflows with(UnaryOperator<IdempotencyOptions.Builder> options) {
    return claimsOn(faulty, options);
  }

  <X extends Exception> IdempotencyResult<String> run(
      String name, StepContext.Callback<String, X> work) throws X {
    return claims.run(IdempotencyRequest.of(key(name), TEXT).fingerprint(PAYLOAD), work);
  }

  final OpenWorkflow open(Workflows claims, String name) {
    OpenWorkflow claim =
        ((BeginResult.Open<OpenWorkflow>)
                claims.begin(IdempotencyRequest.of(key(name), Codec.bytes()).fingerprint(PAYLOAD)))
            .request();
    opened.add(claim);
    return claim;
  }

  @AfterEach
  final void endClaims() {
    if (faulty != null) { // else there is no such database
      faulty.mend();
      opened.forEach(OpenWorkflow::release);
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
