package dev.holdfast.race.internal.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Outcome;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class CanonicalOutcomeTest {
  private static final Instant NOW = Instant.parse("2026-03-04T12:00:00.123456Z");
  private static final UUID KNOWN = UUID.randomUUID();
  private static final Instant GIVEN_TIME = NOW.minusSeconds(2);
  private static final Outcome GIVEN =
      new Outcomes()
          .table("coupons", "code used", List.of("TEN", 0))
          .table("keys", "key at", List.of(KNOWN, GIVEN_TIME))
          .made();

  private final CanonicalOutcome canon = canon(Set.of(), NOW);

  private static CanonicalOutcome canon(Set<String> masked, Instant now) {
    return new CanonicalOutcome(
        number -> number >= 1_000_000_000L && number < 2_000_000_000L,
        masked,
        GIVEN,
        List.of("Ana", "Ben", "Cleo"),
        Clock.fixed(now, ZoneOffset.UTC));
  }

  private void same(Outcomes one, Outcomes other) {
    assertThat(canon.of(one.made())).isEqualTo(canon.of(other.made()));
  }

  private void different(Outcomes one, Outcomes other) {
    assertThat(canon.of(one.made())).isNotEqualTo(canon.of(other.made()));
  }

  private static long order(int number) {
    return 1_000_000_000L + number;
  }

  private static long line(int number) {
    return 1_500_000_000L + number;
  }

  @Test
  void gapsInIdsMeanNothing() {
    same(
        new Outcomes().table("t", "id name", List.of(order(1), "a"), List.of(order(2), "b")),
        new Outcomes().table("t", "id name", List.of(order(7), "b"), List.of(order(9), "a")));
  }

  @Test
  void otherNumbersAreCompared() {
    different(
        new Outcomes().table("t", "id n", List.of(order(1), 5)),
        new Outcomes().table("t", "id n", List.of(order(1), 6)));
  }

  @Test
  void theNumberOfRowsIsCompared() {
    different(
        new Outcomes().table("t", "id", List.of(order(1))),
        new Outcomes().table("t", "id", List.of(order(1)), List.of(order(2))));
  }

  @Test
  void idsSwappedInAllTablesMeanTheSame() {
    same(twoOrders(order(1), order(2)), twoOrders(order(2), order(1)));
  }

  private static Outcomes twoOrders(long anas, long bens) {
    return new Outcomes()
        .table("orders", "id customer", List.of(anas, "Ana"), List.of(bens, "Ben"))
        .table("lines", "id order_id sku", List.of(line(1), anas, "x"), List.of(line(2), bens, "y"))
        .returned("made order " + anas, bens);
  }

  @Test
  void aChildUnderTheWrongParentIsSeen() {
    different(
        twoOrders(order(1), order(2)),
        new Outcomes()
            .table("orders", "id customer", List.of(order(1), "Ana"), List.of(order(2), "Ben"))
            .table(
                "lines",
                "id order_id sku",
                List.of(line(1), order(2), "x"),
                List.of(line(2), order(1), "y"))
            .returned("made order " + order(1), order(2)));
  }

  @Test
  void distinguishesGroupingUnderEqualParents() {
    different(grouped(1, 1, 2, 2), grouped(1, 1, 1, 2));
    same(grouped(1, 1, 2, 2), grouped(1, 2, 2, 1));
  }

  private static Outcomes grouped(int... parents) {
    return new Outcomes()
        .table("orders", "id", List.of(order(1)), List.of(order(2)))
        .table(
            "lines",
            "id order_id",
            List.of(line(1), order(parents[0])),
            List.of(line(2), order(parents[1])),
            List.of(line(3), order(parents[2])),
            List.of(line(4), order(parents[3])));
  }

  @Test
  void distinguishesGroupingAcrossTwoSteps() {
    different(chain("x", "y", "x", "y"), chain("x", "x", "y", "y"));
    same(chain("x", "x", "y", "y"), chain("y", "y", "x", "x"));
  }

  /** Two parents, two children each, and what hangs on each child. */
  private static Outcomes chain(String... leaves) {
    return new Outcomes()
        .table("orders", "id", List.of(order(1)), List.of(order(2)))
        .table(
            "lines",
            "id order_id",
            List.of(line(1), order(1)),
            List.of(line(2), order(1)),
            List.of(line(3), order(2)),
            List.of(line(4), order(2)))
        .table(
            "leaves",
            "line_id name",
            List.of(line(1), leaves[0]),
            List.of(line(2), leaves[1]),
            List.of(line(3), leaves[2]),
            List.of(line(4), leaves[3]));
  }

  @Test
  void distinguishesSelfReference() {
    different(
        new Outcomes()
            .table("t", "id next", List.of(order(1), order(1)), List.of(order(2), order(2))),
        new Outcomes()
            .table("t", "id next", List.of(order(1), order(2)), List.of(order(2), order(1))));
  }

  @Test
  void idsInsideOfTextsAreTheSameEntities() {
    same(note(order(1), "paid order " + order(1)), note(order(5), "paid order " + order(5)));
    different(note(order(1), "paid order " + order(1)), note(order(5), "paid order " + order(6)));
  }

  private static Outcomes note(long id, String text) {
    return new Outcomes()
        .table("orders", "id", List.of(id))
        .table("log", "text", List.of(text))
        .effect(0, "mail:" + text);
  }

  @Test
  void newUuidHasNoIdentity() {
    UUID one = UUID.randomUUID();
    UUID other = UUID.randomUUID();
    same(token(one, "t " + one), token(other, "t " + other));
    different(token(one, "t " + one), token(one, "t " + other));
    different(token(one, ""), token(KNOWN, ""));
  }

  private static Outcomes token(UUID token, String text) {
    return new Outcomes().table("tokens", "token text", List.of(token, text)).returned(token);
  }

  @Test
  void anIdIsNotAUuid() {
    different(
        new Outcomes().table("t", "a", List.of("x" + order(1))),
        new Outcomes().table("t", "a", List.of("x" + UUID.randomUUID())));
  }

  @Test
  void timesOfTheLastMinutesAreNow() {
    same(at(NOW), at(NOW.plus(Duration.ofMinutes(4))));
    different(at(NOW), at(NOW.minus(Duration.ofMinutes(6))));
    different(at(NOW.minus(Duration.ofDays(6))), at(NOW.minus(Duration.ofDays(7))));
    same(
        new Outcomes().table("t", "millis", List.of(NOW.toEpochMilli())),
        new Outcomes().table("t", "millis", List.of(NOW.toEpochMilli() + 1)));
  }

  private static Outcomes at(Instant time) {
    return new Outcomes().table("t", "at", List.of(time));
  }

  @Test
  void keepsTimesOfSetup() {
    different(at(GIVEN_TIME), at(NOW));
    CanonicalOutcome hourLater =
        new CanonicalOutcome(
            n -> false, Set.of(), GIVEN, List.of(), Clock.offset(Clock.systemUTC(), HOUR));
    assertThat(hourLater.of(at(GIVEN_TIME).made())).contains(GIVEN_TIME.toString());
  }

  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void aTableAsTheSetupLeftItIsTheSameAsNone() {
    same(new Outcomes().table("coupons", "code used", List.of("TEN", 0)), new Outcomes());
    different(new Outcomes().table("coupons", "code used", List.of("TEN", 1)), new Outcomes());
    different(new Outcomes().table("coupons", "code used"), new Outcomes());
    same(new Outcomes().table("new_one", "id"), new Outcomes());
  }

  @Test
  void nullIsNotTheTextThatLooksLikeIt() {
    different(
        new Outcomes().table("t", "a", List.of("NULL")),
        new Outcomes().table("t", "a", List.of("")));
  }

  @Test
  void countsEffectsPerActor() {
    different(new Outcomes().effect(0, "mail"), new Outcomes().effect(0, "mail").effect(0, "mail"));
    different(
        new Outcomes().effect(0, "mail").returned(1, 1),
        new Outcomes().effect(1, "mail").returned(1, 1));
    assertThat(canon.stateOf(new Outcomes().effect(0, "mail").returned(1, 1).made()))
        .isEqualTo(canon.stateOf(new Outcomes().effect(1, "mail").returned(1, 2).made()));
  }

  @Test
  void effectOfSilentActorsIsAnonymous() {
    same(new Outcomes().effect(0, "mail"), new Outcomes().effect(1, "mail"));
    different(new Outcomes().effect(0, "mail"), new Outcomes().effect(1, "letter"));
  }

  @Test
  void actorsThatAreAlikeMayChangePlaces() {
    int[] alike = {0, 0, 1};
    Outcome one = new Outcomes().returned(true, false, 5).effect(0, "mail").made();
    Outcome swapped = new Outcomes().returned(false, true, 5).effect(1, "mail").made();
    Outcome torn = new Outcomes().returned(false, true, 5).effect(0, "mail").made();
    Outcome third = new Outcomes().returned(true, 5, false).effect(0, "mail").made();
    assertThat(canon.of(one, Set.of(), alike))
        .isEqualTo(canon.of(swapped, Set.of(), alike))
        .isNotEqualTo(canon.of(torn, Set.of(), alike))
        .isNotEqualTo(canon.of(third, Set.of(), alike));
    assertThat(canon.of(one)).isNotEqualTo(canon.of(swapped));
  }

  @Test
  void theEndOfARefusedActorCanBeLeftOut() {
    Outcome one = new Outcomes().returned(1).threw(new SQLException("no", "40001")).made();
    Outcome other = new Outcomes().returned(1, 2).made();
    int[] unlike = {0, 1};
    assertThat(canon.of(one, Set.of(1), unlike)).isEqualTo(canon.of(other, Set.of(1), unlike));
    assertThat(canon.of(one)).isNotEqualTo(canon.of(other));
  }

  @Test
  void errorsAreComparedButForWhatIsOfThisRun() {
    same(
        new Outcomes().threw(new SQLException("Process 17 waits for Foo@3fab12", "40P01")),
        new Outcomes().threw(new SQLException("Process 23 waits for Foo@77aa10", "40P01")));
    different(
        new Outcomes().threw(new SQLException("no", "40P01")),
        new Outcomes().threw(new SQLException("no", "23505")));
    same(
        new Outcomes().threw(new IllegalStateException("sold out")),
        new Outcomes()
            .threw(new IllegalStateException("sold out", new SQLException("x", "23P01"))));
    different(
        new Outcomes().threw(new IllegalStateException()),
        new Outcomes().threw(new IllegalArgumentException()));
  }

  @Test
  void maskedColumnsAndResultsAreNotCompared() {
    CanonicalOutcome masking = canon(Set.of("t.token", "result of Ana"), NOW);
    Outcome one = new Outcomes().table("t", "token n", List.of("abc", 1)).returned("x", "y").made();
    Outcome two = new Outcomes().table("t", "token n", List.of("def", 1)).returned("z", "y").made();
    Outcome three =
        new Outcomes().table("t", "token n", List.of("def", 1)).returned("z", "w").made();
    assertThat(masking.of(one)).isEqualTo(masking.of(two)).isNotEqualTo(masking.of(three));
  }
}
