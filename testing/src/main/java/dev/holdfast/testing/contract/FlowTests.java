package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Flow;
import dev.holdfast.idempotency.IdempotencyStore.FlowInput;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** What the contracts of flows stand on: a flow of two steps, and how one is left by a crash. */
abstract class FlowTests extends ClaimTests {
  final AtomicBoolean failing = new AtomicBoolean();
  final AtomicInteger runs = new AtomicInteger();
  final AtomicInteger inside = new AtomicInteger();
  final Flow<String, String> flow = flow("pay", this::work);

  FlowTests(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  static Flow<String, String> flow(String name, Flow.FlowWork<String, String> work) {
    return new Flow<>(name, TEXT, TEXT, work);
  }

  final String work(String input, Claim claim) throws IOException {
    assertThat(inside.incrementAndGet()).as("one at a time").isEqualTo(1);
    try {
      runs.incrementAndGet();
      claim.step("charge", TEXT, () -> "" + effects.add(claim.keyFor("charge")));
      if (failing.get()) {
        throw new IOException("failed");
      }
      claim.step("mail", TEXT, () -> "" + effects.add(claim.keyFor("mail")));
      return input + " done";
    } finally {
      inside.decrementAndGet();
    }
  }

  /** As a process leaves it that was killed: nobody holds it, and it is due. */
  final void abandon(String name, Flow<String, ?> of, String input) {
    abandon(name, of, input, DAY);
  }

  final void abandon(String name, Flow<String, ?> of, String input, Duration retention) {
    Request request =
        new Request(
            key(name),
            Fingerprint.of(bytes(of.name()), bytes(input)),
            UUID.randomUUID(),
            LONG,
            retention,
            new FlowInput(of.name(), bytes(input)));
    granted(request);
    store.record(hold(request), step("charge", "true"), LONG);
    store.release(hold(request), Duration.ZERO);
  }
}
