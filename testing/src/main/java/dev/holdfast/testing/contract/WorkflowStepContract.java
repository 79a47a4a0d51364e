package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.LeaseLostException;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.IdempotencyResult.Replayed;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.idempotency.ReplyCodec;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflows;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Steps of the work under a claim, and what whoever holds it must not do. */
public abstract class WorkflowStepContract extends WorkflowTests {
  protected WorkflowStepContract(Supplier<? extends IdempotencyStoreFixture> places) {
    super(places);
  }

  private String effect(StepContext claim, String step) {
    effects.add(claim.idempotencyKey(step));
    return step + " " + effects.size();
  }

  /** Three steps, of which one fails as often as told. */
  private String work(StepContext claim, String failing, boolean fails) throws IOException {
    String all = "";
    for (String name : new String[] {"charge", "ship", "mail"}) {
      all +=
          claim.step(
                  name,
                  TEXT,
                  () -> {
                    if (fails && name.equals(failing)) {
                      throw new IOException("no " + name);
                    }
                    return effect(claim, name);
                  })
              + ";";
    }
    return all;
  }

  @Test
  void aRetryGoesOnFromTheLastRecordedStep() throws Exception {
    assertThatThrownBy(() -> run("x", claim -> work(claim, "ship", true)))
        .isInstanceOf(IOException.class);
    assertThat(record("x").steps()).containsExactly("charge");
    assertThatThrownBy(() -> run("x", claim -> work(claim, "mail", true)))
        .isInstanceOf(IOException.class);
    assertThat(record("x").steps()).containsExactly("charge", "ship");

    assertThat(run("x", claim -> work(claim, "", false)))
        .isEqualTo(new Executed<>("charge 1;ship 2;mail 3;"));

    assertThat(effects).hasSize(3).doesNotHaveDuplicates();
    assertThat(run("x", claim -> "no")).isEqualTo(new Replayed<>("charge 1;ship 2;mail 3;"));
  }

  @Test
  @SuppressWarnings("NullAway") // a step whose value is null
  void valuesOfAllKindsAreGivenAgain() throws Exception {
    String large = "\u00e4".repeat(400_000);
    for (int attempt = 1; attempt <= 2; attempt++) {
      boolean first = attempt == 1;
      OpenWorkflow claim = open(claims, "x");
      assertThat(
              claim.<@Nullable Void, RuntimeException>step(
                  "null", ReplyCodecs.nothing(), () -> onlyIf(first, null)))
          .isNull();
      assertThat(claim.step("empty", TEXT, () -> onlyIf(first, ""))).isEmpty();
      assertThat(claim.step("large", TEXT, () -> onlyIf(first, large))).isEqualTo(large);
      assertThat(claim.step("number", ReplyCodecs.number(), () -> onlyIf(first, Long.MIN_VALUE)))
          .isEqualTo(Long.MIN_VALUE);
      assertThat(claim.step("\ud83d\ude00 \u00e4", TEXT, () -> onlyIf(first, "\ud83d\ude00")))
          .isEqualTo("\ud83d\ude00");
      assertThat(claim.completedSteps())
          .containsExactly("null", "empty", "large", "number", "\ud83d\ude00 \u00e4");
      claim.release();
    }
  }

  private static <T extends @Nullable Object> T onlyIf(boolean first, T value) {
    assertThat(first).as("a recorded step is not run again").isTrue();
    return value;
  }

  @Test
  void theSameNameTwiceInOneAttemptIsRefused() {
    OpenWorkflow claim = open(claims, "x");

    assertThat(claim.step("a", TEXT, () -> "1")).isEqualTo("1");
    assertThatThrownBy(() -> claim.step("a", TEXT, () -> "2"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'a' was used before by this attempt");

    assertThat(claim.completedSteps()).containsExactly("a");
    assertThat(record("x").steps()).containsExactly("a");
    assertThat(claim.release()).isTrue();
    OpenWorkflow next = open(claims, "x");
    assertThat(next.step("a", TEXT, () -> "3")).isEqualTo("1");
    assertThatThrownBy(() -> next.step("a", TEXT, () -> "4"))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void aStepThatFailedMayBeTriedAgain() {
    OpenWorkflow claim = open(claims, "x");

    assertThatThrownBy(
            () ->
                claim.step(
                    "a",
                    TEXT,
                    () -> {
                      throw new IllegalStateException("not now");
                    }))
        .hasMessage("not now");
    assertThat(claim.step("a", TEXT, () -> "1")).isEqualTo("1");
  }

  @Test
  void aStepWithinAStepIsRecordedBeforeIt() {
    OpenWorkflow claim = open(claims, "x");

    claim.step("outer", TEXT, () -> claim.step("inner", TEXT, () -> "i") + "o");

    assertThat(record("x").steps()).containsExactly("inner", "outer");
  }

  @Test
  void rejectsOversizedStep() {
    claims = with(o -> o.maxResultSize(3));

    assertThatThrownBy(() -> run("x", claim -> claim.step("a", TEXT, () -> "1234")))
        .isInstanceOf(ResultTooLargeException.class)
        .hasMessageContaining("'a'");

    assertThat(status("x")).isEqualTo(Status.INTERRUPTED);
    assertThat(record("x").steps()).isEmpty();
  }

  @Test
  void rejectsStepsTooLargeTogether() {
    OpenWorkflow claim = open(with(o -> o.maxResultSize(4 << 20)), "x");
    byte[] large = new byte[4 << 20];
    for (int i = 0; i < 3; i++) {
      claim.step("s" + i, ReplyCodecs.bytes(), () -> large);
    }

    assertThatThrownBy(() -> claim.step("s3", ReplyCodecs.bytes(), () -> large))
        .isInstanceOf(ResultTooLargeException.class)
        .hasMessageContaining("all steps");

    assertThat(record("x").steps()).containsExactly("s0", "s1", "s2");
    claim.step("small", TEXT, () -> "fits");
    claim.release();
    assertThat(open(claims, "x").step("s2", ReplyCodecs.bytes(), () -> new byte[0]))
        .isEqualTo(large);
  }

  @Test
  void derivedKeysAreStablePerStep() {
    OpenWorkflow first = open(claims, "x");
    String charge = first.idempotencyKey("charge");
    first.release();
    OpenWorkflow second = open(claims, "x");

    assertThat(second.idempotencyKey("charge")).isEqualTo(charge);
    assertThat(second.idempotencyKey("ship")).isNotEqualTo(charge);
    assertThat(open(claims, "y").idempotencyKey("charge")).isNotEqualTo(charge);
  }

  @Test
  void checksStepNamesFirst() {
    OpenWorkflow claim = open(claims, "x");
    for (String bad : new String[] {"", "x".repeat(201), "a\nb", "\ud83d"}) {
      assertThatThrownBy(() -> claim.step(bad, TEXT, () -> effect(claim, "no")))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> claim.transactionalStep(bad, TEXT, tx -> effect(claim, "no")))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> claim.idempotencyKey(bad))
          .isInstanceOf(InvalidArgumentException.class);
    }
    assertThat(effects).isEmpty();
    claim.step("x".repeat(200), TEXT, () -> "fits");
  }

  @Test
  @SuppressWarnings("NullAway") // nulls on purpose
  void nullsAreRefusedBeforeAnythingIsDone() {
    OpenWorkflow claim = open(claims, "x");
    assertThatThrownBy(() -> claim.step(null, TEXT, () -> "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.step("a", null, () -> "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.step("a", TEXT, null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.complete(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.reject(null)).isInstanceOf(bad());
    assertThatThrownBy(
            () -> claims.run(IdempotencyRequest.of(null, TEXT).fingerprint(PAYLOAD), c -> ""))
        .isInstanceOf(bad());
    assertThatThrownBy(
            () ->
                claims.run(
                    IdempotencyRequest.of(key("n"), TEXT).fingerprint((Fingerprint) null), c -> ""))
        .isInstanceOf(bad());
    assertThatThrownBy(
            () -> claims.run(IdempotencyRequest.of(key("n"), (ReplyCodec<String>) null), c -> ""))
        .isInstanceOf(bad());
    assertThatThrownBy(
            () -> claims.run(IdempotencyRequest.of(key("n"), TEXT).fingerprint(PAYLOAD), null))
        .isInstanceOf(bad());
    assertThatThrownBy(() -> claims.run(null, key("n"), "")).isInstanceOf(bad());
    assertThatThrownBy(
            () ->
                claims.begin(IdempotencyRequest.of(null, ReplyCodecs.bytes()).fingerprint(PAYLOAD)))
        .isInstanceOf(bad());
    assertThatThrownBy(
            () ->
                claims.begin(
                    IdempotencyRequest.of(key("n"), ReplyCodecs.bytes())
                        .fingerprint((Fingerprint) null)))
        .isInstanceOf(bad());
    assertThatThrownBy(() -> claims.find(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.delete(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.largeResultStore(null))).isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.rejectOn(null))).isInstanceOf(bad());
    assertThatThrownBy(() -> Workflows.create(null)).isInstanceOf(bad());
    assertThat(store.find(key("n"))).isEmpty();
    assertThat(claim.isLeaseValid()).isTrue();
  }

  private static Class<InvalidArgumentException> bad() {
    return InvalidArgumentException.class;
  }

  @Test
  void settingsHaveLimits() {
    assertThatThrownBy(() -> with(o -> o.leaseDuration(Duration.ofMillis(99)))).isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.leaseDuration(Duration.ofHours(1).plusMillis(1))))
        .isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.waitTimeout(Duration.ofMillis(-1)))).isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.waitTimeout(Duration.ofDays(1)))).isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.retention(Duration.ZERO))).isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.maxResultSize(0))).isInstanceOf(bad());
    assertThatThrownBy(() -> with(o -> o.maxResultSize((15 << 20) + 1))).isInstanceOf(bad());
    with(
        o ->
            o.leaseDuration(Duration.ofMillis(100))
                .leaseDuration(Duration.ofHours(1))
                .maxResultSize(15 << 20));
  }

  @Test
  void transactionalStepRequiresSameDatabase() {
    OpenWorkflow claim = open(claims, "x");
    assertThatThrownBy(() -> claim.transactionalStep("a", TEXT, tx -> effect(claim, "no")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(effects).isEmpty();
  }

  @Test
  void whatHasEndedCannotBeUsedAnyMore() {
    OpenWorkflow done = open(claims, "done");
    done.complete(bytes("first"));
    assertThat(done.isLeaseValid()).isFalse();
    assertThatThrownBy(done::ensureLeaseValid).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> done.step("a", TEXT, () -> effect(done, "no")))
        .isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(() -> done.complete(bytes("second"))).isInstanceOf(bad());
    assertThatThrownBy(() -> done.reject(bytes("second"))).isInstanceOf(bad());
    assertThat(done.release()).isFalse();
    assertThat(run("done", claim -> "no")).isEqualTo(new Replayed<>("first"));

    OpenWorkflow released = open(claims, "released");
    assertThat(released.release()).isTrue();
    assertThat(released.release()).isFalse();
    assertThatThrownBy(() -> released.complete(bytes("no"))).isInstanceOf(bad());
    assertThatThrownBy(() -> released.step("a", TEXT, () -> effect(released, "no")))
        .isInstanceOf(LeaseLostException.class);
    assertThat(status("released")).isEqualTo(Status.INTERRUPTED);
    assertThat(effects).isEmpty();
  }

  @Test
  void failingCodecReleasesRequest() {
    var broken =
        new ReplyCodec<String>() {
          @Override
          @SuppressWarnings("NullAway") // null on purpose
          public byte[] write(String reply) {
            return null;
          }

          @Override
          public String read(byte[] bytes) {
            return "";
          }
        };
    assertThatThrownBy(
            () ->
                claims.run(
                    IdempotencyRequest.of(key("x"), broken).fingerprint(PAYLOAD), claim -> "done"))
        .isInstanceOf(bad());
    assertThatThrownBy(() -> run("x", claim -> claim.step("a", broken, () -> "done")))
        .isInstanceOf(bad());
    assertThat(run("x", claim -> "now")).isEqualTo(new Executed<>("now"));
  }

  /** What the log says of refusals while this is done. */
  private static List<String> toldOfRefusals(Runnable action) {
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(log, true, UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(before);
    }
    return log.toString(UTF_8).lines().filter(line -> line.contains("was rejected")).toList();
  }

  /** Refused after these steps. */
  private void refuseAfter(String name, String... steps) {
    assertThatThrownBy(
            () ->
                run(
                    name,
                    claim -> {
                      for (String step : steps) {
                        claim.step(step, TEXT, () -> effect(claim, step));
                      }
                      throw new RejectedException("not covered");
                    }))
        .isInstanceOf(RejectedException.class);
  }

  @Test
  void rejectionWarnsOfCompletedSteps() {
    assertThat(toldOfRefusals(() -> refuseAfter("x", "charge", "ship")))
        .singleElement()
        .asString()
        .contains("WARN", key("x").toString(), "was rejected after steps [charge, ship]");
    assertThat(record("x").steps()).as("only the log knows them now").isEmpty();
    assertThat(toldOfRefusals(() -> refuseAfter("y"))).as("nothing was done").isEmpty();
  }

  @Test
  void rejectionWarnsOfEarlierSteps() {
    assertThatThrownBy(() -> run("x", claim -> work(claim, "ship", true)))
        .isInstanceOf(IOException.class);

    assertThat(toldOfRefusals(() -> open(claims, "x").reject(bytes("not covered"))))
        .singleElement()
        .asString()
        .contains("WARN", key("x").toString(), "was rejected after steps [charge]");
  }
}
