package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.testing.contract.FaultyIdempotencyStore.Call;
import dev.holdfast.workflow.OpenWorkflow;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Workflows are renewed for as long as they are needed, and no longer. */
public abstract class WorkflowLeaseRenewalContract extends WorkflowTests {
  /** Long enough that a pause of a loaded machine does not end it between two renewals. */
  private static final Duration LEASE = SHORT.multipliedBy(4);

  protected WorkflowLeaseRenewalContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  @Test
  void renewsOpenedRequestUntilCompleted() throws Exception {
    OpenWorkflow claim = open(with(o -> o.leaseDuration(LEASE)), "x");
    await("it must be renewed", () -> faulty.count(Call.RENEW) >= 6);

    assertThat(claim.isLeaseValid()).isTrue();
    claim.ensureLeaseValid();
    busy(request("x"));
    claim.complete(bytes("done"));
    assertThat(run("x", c -> "no")).isEqualTo(new Replayed<>("done"));
    OpenWorkflow other = open(with(o -> o.leaseDuration(SHORT)), "y");
    other.reject(bytes("no"));
    assertThatThrownBy(() -> run("y", c -> "no")).isInstanceOf(RejectedException.class);
    OpenWorkflow third = open(with(o -> o.leaseDuration(SHORT)), "z");
    assertThat(third.release()).isTrue();
    assertThat(run("z", c -> "now")).isEqualTo(new Executed<>("now"));
  }

  @Test
  void longWorkKeepsItsLease() throws Exception {
    claims = with(o -> o.leaseDuration(LEASE));
    IdempotencyResult<String> told =
        run(
            "x",
            claim -> {
              await("it must be renewed", () -> faulty.count(Call.RENEW) >= 6);
              assertThat(claim.isLeaseValid()).isTrue();
              busy(request("x"));
              return "done";
            });

    assertThat(told).isEqualTo(new Executed<>("done"));
    int renewals = faulty.count(Call.RENEW);
    Thread.sleep(LEASE.toMillis());
    assertThat(faulty.count(Call.RENEW)).as("nothing is renewed any more").isEqualTo(renewals);
  }

  /** The threads of the store of this test: those of others may be at work. */
  private static long threads(String number) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith("holdfast-workflow-") && name.endsWith(number))
        .count();
  }

  @Test
  void idleThreadsEnd() throws Exception {
    AtomicReference<String> keeper = new AtomicReference<>("");
    faulty.before(Call.RENEW, count -> keeper.set(Thread.currentThread().getName()));
    run("x", claim -> "done");
    OpenWorkflow claim = open(with(o -> o.leaseDuration(LEASE)), "y");
    await("it must be renewed", () -> !keeper.get().isEmpty());
    String number = keeper.get().substring(keeper.get().lastIndexOf('-'));
    await("a timer, and who renews", () -> threads(number) >= 2);

    claim.complete(bytes("done"));

    await("the threads must end", () -> threads(number) == 0);
  }

  @Test
  void aRenewalThatFailsIsTriedAgainInTime() throws Exception {
    claims = with(o -> o.leaseDuration(SHORT.multipliedBy(10)));
    faulty.before(
        Call.RENEW,
        count -> {
          if (count % 2 == 1) {
            throw count % 4 == 1 ? FaultyIdempotencyStore.lost() : new IllegalStateException("odd");
          }
        });

    assertThat(
            run(
                "x",
                claim -> {
                  await("it is renewed", () -> faulty.count(Call.RENEW) >= 4);
                  claim.ensureLeaseValid();
                  return "done";
                }))
        .isEqualTo(new Executed<>("done"));
  }

  @Test
  void manyClaimsAreRenewedAtOnce() throws Exception {
    claims = with(o -> o.leaseDuration(SHORT.multipliedBy(20)));
    OpenWorkflow[] all = new OpenWorkflow[40];
    for (int i = 0; i < all.length; i++) {
      all[i] = open(claims, "x" + i);
    }

    await("all are renewed", () -> faulty.count(Call.RENEW) >= 2 * all.length);

    for (OpenWorkflow claim : all) {
      claim.complete(bytes("done"));
    }
  }
}
