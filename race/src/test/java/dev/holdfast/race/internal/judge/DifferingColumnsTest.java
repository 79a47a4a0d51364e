package dev.holdfast.race.internal.judge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Outcome;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DifferingColumnsTest {
  private final CanonicalOutcome canon =
      new CanonicalOutcome(
          number -> number >= 1_000_000_000L && number < 2_000_000_000L,
          Set.of(),
          new Outcomes().made(),
          List.of("Ana", "Ben"),
          Clock.systemUTC());

  private static Outcomes order(long id, String token, int amount) {
    return new Outcomes().table("orders", "id token amount", List.of(id, token, amount));
  }

  @Test
  void aRandomColumnIsNamedAndTheIdIsNot() {
    Outcome one = order(1_000_000_001, "a8f", 5).returned(1, 2).made();
    Outcome two = order(1_000_000_002, "77e", 5).returned(1, 2).made();
    assertThat(canon.differing(one, two)).containsExactly("orders.token");
    CanonicalOutcome masking = canon.masking(canon.differing(one, two));
    assertThat(masking.of(one)).isEqualTo(masking.of(two));
    assertThat(masking.masked()).containsExactly("orders.token");
  }

  @Test
  void aRandomResultIsNamed() {
    assertThat(
            canon.differing(
                new Outcomes().returned(1, "x8").made(), new Outcomes().returned(1, "y9").made()))
        .containsExactly("result of Ben");
  }

  @Test
  void valuesThatChangePlacesAreNamedToo() {
    Outcome one = new Outcomes().table("t", "k v", List.of("a", 1), List.of("b", 2)).made();
    Outcome two = new Outcomes().table("t", "k v", List.of("a", 2), List.of("b", 1)).made();
    assertThat(canon.differing(one, two)).hasSize(1);
  }

  @Test
  void equalOutcomesDifferInNothing() {
    Outcome one = order(1_000_000_001, "a8f", 5).made();
    assertThat(canon.differing(one, one)).isEmpty();
  }

  @Test
  void aMissingRowIsNotExplainedByColumns() {
    Outcome one = order(1_000_000_001, "a8f", 5).made();
    assertThat(canon.differing(one, new Outcomes().table("orders", "id token amount").made()))
        .isEmpty();
  }

  @Test
  void ignoresColumnsIfResultIsError() {
    assertThat(
            canon.differing(
                new Outcomes().returned(1).made(),
                new Outcomes().threw(new IllegalStateException()).made()))
        .isEmpty();
  }
}
