package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.WorkflowInput;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflow;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** What the contracts of flows stand on: a flow of two steps, and how one is left by a crash. */
abstract class WorkflowDefinitionTests extends WorkflowTests {
  final AtomicBoolean failing = new AtomicBoolean();
  final AtomicInteger runs = new AtomicInteger();
  final AtomicInteger inside = new AtomicInteger();
  final Workflow<String, String> flow = flow("pay", this::work);

  WorkflowDefinitionTests(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  static Workflow<String, String> flow(String name, Workflow.Body<String, String> work) {
    return new Workflow<>(name, TEXT, TEXT, work);
  }

  final String work(String input, StepContext claim) throws IOException {
    assertThat(inside.incrementAndGet()).as("one at a time").isEqualTo(1);
    try {
      runs.incrementAndGet();
      claim.step("charge", TEXT, () -> "" + effects.add(claim.idempotencyKey("charge")));
      if (failing.get()) {
        throw new IOException("failed");
      }
      claim.step("mail", TEXT, () -> "" + effects.add(claim.idempotencyKey("mail")));
      return input + " done";
    } finally {
      inside.decrementAndGet();
    }
  }

  /** As a process leaves it that was killed: nobody holds it, and it is due. */
  final void abandon(String name, Workflow<String, ?> of, String input) {
    abandon(name, of, input, DAY);
  }

  final void abandon(String name, Workflow<String, ?> of, String input, Duration retention) {
    ClaimRequest request =
        new ClaimRequest(
            key(name),
            Fingerprint.of(bytes(of.name()), bytes(input)),
            UUID.randomUUID(),
            LONG,
            retention,
            new WorkflowInput(of.name(), bytes(input)));
    granted(request);
    store.record(hold(request), step("charge", "true"), LONG);
    store.release(hold(request), Duration.ZERO);
  }
}
