package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.ClaimLostException;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.idempotency.OnceResult.Replayed;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodec;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Steps of the work under a claim, and what whoever holds it must not do. */
public abstract class ClaimStepsContract extends ClaimTests {
  protected ClaimStepsContract(Supplier<? extends IdempotencyPlace> places) {
    super(places);
  }

  private String effect(Claim claim, String step) {
    effects.add(claim.keyFor(step));
    return step + " " + effects.size();
  }

  /** Three steps, of which one fails as often as told. */
  private String work(Claim claim, String failing, boolean fails) throws IOException {
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
      Claim claim = open(claims, "x");
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
      assertThat(claim.steps())
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
    Claim claim = open(claims, "x");

    assertThat(claim.step("a", TEXT, () -> "1")).isEqualTo("1");
    assertThatThrownBy(() -> claim.step("a", TEXT, () -> "2"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("'a' was done before by this attempt");

    assertThat(claim.steps()).containsExactly("a");
    assertThat(record("x").steps()).containsExactly("a");
    assertThat(claim.release()).isTrue();
    Claim next = open(claims, "x");
    assertThat(next.step("a", TEXT, () -> "3")).isEqualTo("1");
    assertThatThrownBy(() -> next.step("a", TEXT, () -> "4"))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void aStepThatFailedMayBeTriedAgain() {
    Claim claim = open(claims, "x");

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
    Claim claim = open(claims, "x");

    claim.step("outer", TEXT, () -> claim.step("inner", TEXT, () -> "i") + "o");

    assertThat(record("x").steps()).containsExactly("inner", "outer");
  }

  @Test
  void aStepThatIsTooLargeIsNotRecordedAndFails() {
    claims = claims.largestReply(3);

    assertThatThrownBy(() -> run("x", claim -> claim.step("a", TEXT, () -> "1234")))
        .isInstanceOf(ReplyTooLargeException.class)
        .hasMessageContaining("'a'");

    assertThat(status("x")).isEqualTo(Status.ABANDONED);
    assertThat(record("x").steps()).isEmpty();
  }

  @Test
  void stepsThatAreTooLargeTogetherFailAndKeepThoseBefore() {
    Claim claim = open(claims.largestReply(4 << 20), "x");
    byte[] large = new byte[4 << 20];
    for (int i = 0; i < 3; i++) {
      claim.step("s" + i, ReplyCodecs.bytes(), () -> large);
    }

    assertThatThrownBy(() -> claim.step("s3", ReplyCodecs.bytes(), () -> large))
        .isInstanceOf(ReplyTooLargeException.class)
        .hasMessageContaining("together");

    assertThat(record("x").steps()).containsExactly("s0", "s1", "s2");
    claim.step("small", TEXT, () -> "fits");
    claim.release();
    assertThat(open(claims, "x").step("s2", ReplyCodecs.bytes(), () -> new byte[0]))
        .isEqualTo(large);
  }

  @Test
  void keysForOthersAreTheSameWhoeverMakesThemAndDifferByRequestAndStep() {
    Claim first = open(claims, "x");
    String charge = first.keyFor("charge");
    first.release();
    Claim second = open(claims, "x");

    assertThat(second.keyFor("charge")).isEqualTo(charge);
    assertThat(second.keyFor("ship")).isNotEqualTo(charge);
    assertThat(open(claims, "y").keyFor("charge")).isNotEqualTo(charge);
  }

  @Test
  void namesOfStepsAreCheckedBeforeAnythingIsDone() {
    Claim claim = open(claims, "x");
    for (String bad : new String[] {"", "x".repeat(201), "a\nb", "\ud83d"}) {
      assertThatThrownBy(() -> claim.step(bad, TEXT, () -> effect(claim, "no")))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> claim.stepInTransaction(bad, TEXT, tx -> effect(claim, "no")))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> claim.keyFor(bad)).isInstanceOf(InvalidArgumentException.class);
    }
    assertThat(effects).isEmpty();
    claim.step("x".repeat(200), TEXT, () -> "fits");
  }

  @Test
  @SuppressWarnings("NullAway") // nulls on purpose
  void nullsAreRefusedBeforeAnythingIsDone() {
    Claim claim = open(claims, "x");
    assertThatThrownBy(() -> claim.step(null, TEXT, () -> "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.step("a", null, () -> "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.step("a", TEXT, null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.complete(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claim.refuse(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.run(null, PAYLOAD, TEXT, c -> "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.run(key("n"), null, TEXT, c -> "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.run(key("n"), PAYLOAD, null, c -> "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.run(key("n"), PAYLOAD, TEXT, null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.run(null, key("n"), "")).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.begin(null, PAYLOAD)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.begin(key("n"), null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.find(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.forget(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.vault(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.refusals(null)).isInstanceOf(bad());
    assertThatThrownBy(() -> Claims.on(null)).isInstanceOf(bad());
    assertThat(store.find(key("n"))).isEmpty();
    assertThat(claim.isHeld()).isTrue();
  }

  private static Class<InvalidArgumentException> bad() {
    return InvalidArgumentException.class;
  }

  @Test
  void settingsHaveLimits() {
    assertThatThrownBy(() -> claims.lease(Duration.ofMillis(99))).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.lease(Duration.ofHours(1).plusMillis(1))).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.waiting(Duration.ofMillis(-1))).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.waiting(Duration.ofDays(1))).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.retention(Duration.ZERO)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.largestReply(0)).isInstanceOf(bad());
    assertThatThrownBy(() -> claims.largestReply((15 << 20) + 1)).isInstanceOf(bad());
    claims.lease(Duration.ofMillis(100)).lease(Duration.ofHours(1)).largestReply(15 << 20);
  }

  @Test
  void aStepInATransactionNeedsRecordsInTheSameDatabase() {
    Claim claim = open(claims, "x");
    assertThatThrownBy(() -> claim.stepInTransaction("a", TEXT, tx -> effect(claim, "no")))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(effects).isEmpty();
  }

  @Test
  void whatHasEndedCannotBeUsedAnyMore() {
    Claim done = open(claims, "done");
    done.complete(bytes("first"));
    assertThat(done.isHeld()).isFalse();
    assertThatThrownBy(done::ensureHeld).isInstanceOf(ClaimLostException.class);
    assertThatThrownBy(() -> done.step("a", TEXT, () -> effect(done, "no")))
        .isInstanceOf(ClaimLostException.class);
    assertThatThrownBy(() -> done.complete(bytes("second"))).isInstanceOf(bad());
    assertThatThrownBy(() -> done.refuse(bytes("second"))).isInstanceOf(bad());
    assertThat(done.release()).isFalse();
    assertThat(run("done", claim -> "no")).isEqualTo(new Replayed<>("first"));

    Claim released = open(claims, "released");
    assertThat(released.release()).isTrue();
    assertThat(released.release()).isFalse();
    assertThatThrownBy(() -> released.complete(bytes("no"))).isInstanceOf(bad());
    assertThatThrownBy(() -> released.step("a", TEXT, () -> effect(released, "no")))
        .isInstanceOf(ClaimLostException.class);
    assertThat(status("released")).isEqualTo(Status.ABANDONED);
    assertThat(effects).isEmpty();
  }

  @Test
  void aCodecThatWritesNothingFailsAndTheRequestMayBeRepeated() {
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
    assertThatThrownBy(() -> claims.run(key("x"), PAYLOAD, broken, claim -> "done"))
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
    return log.toString(UTF_8).lines().filter(line -> line.contains("refused")).toList();
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
                      throw new RefusedException("not covered");
                    }))
        .isInstanceOf(RefusedException.class);
  }

  @Test
  void aRefusalWarnsOfTheStepsThatWereDoneBeforeIt() {
    assertThat(toldOfRefusals(() -> refuseAfter("x", "charge", "ship")))
        .singleElement()
        .asString()
        .contains("WARN", key("x").toString(), "was refused after the steps [charge, ship]");
    assertThat(record("x").steps()).as("only the log knows them now").isEmpty();
    assertThat(toldOfRefusals(() -> refuseAfter("y"))).as("nothing was done").isEmpty();
  }

  @Test
  void aRefusalWarnsOfTheStepsOfEarlierAttemptsToo() {
    assertThatThrownBy(() -> run("x", claim -> work(claim, "ship", true)))
        .isInstanceOf(IOException.class);

    assertThat(toldOfRefusals(() -> open(claims, "x").refuse(bytes("not covered"))))
        .singleElement()
        .asString()
        .contains("WARN", key("x").toString(), "was refused after the steps [charge]");
  }
}
