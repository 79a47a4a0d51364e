package dev.holdfast.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class IdempotencyKeyTest {
  private static void assertRefused(String because, Runnable make) {
    assertThatThrownBy(make::run)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  @Test
  void aKeyMustHaveFrom1To255Characters() {
    assertRefused("from 1 to 255 characters, had 0", () -> IdempotencyKey.of("o", ""));
    assertRefused("had 256", () -> IdempotencyKey.of("o", "k".repeat(256)));
    assertRefused("had 10240", () -> IdempotencyKey.of("o", "k".repeat(10_240)));
    assertThat(IdempotencyKey.of("o", "k".repeat(255)).key()).hasSize(255);
  }

  @Test
  void theRefusalOfALongKeyIsShort() {
    assertThatThrownBy(() -> IdempotencyKey.of("o", "k".repeat(10_240)))
        .satisfies(refused -> assertThat(refused.toString().length()).isLessThan(1000));
  }

  @Test
  void theOtherPartsHaveUpTo200Characters() {
    String longest = "x".repeat(200);
    IdempotencyKey key = new IdempotencyKey(longest, longest, longest, "k");
    assertRefused("the tenant", () -> key.tenant(longest + "x"));
    assertRefused("the principal", () -> key.principal(longest + "x"));
    assertRefused("the operation", () -> IdempotencyKey.of(longest + "x", "k"));
    assertRefused("the operation", () -> IdempotencyKey.of("", "k"));
    assertThat(new IdempotencyKey("", "", longest, "k")).isEqualTo(IdempotencyKey.of(longest, "k"));
  }

  @Test
  void distinguishesMissingPrincipal() {
    IdempotencyKey key = IdempotencyKey.of("o", "k");
    assertRefused("the tenant of an idempotency key must have from 1", () -> key.tenant(""));
    assertRefused("the principal of an idempotency key must have from 1", () -> key.principal(""));
  }

  @Test
  void rejectsControlCharactersAndSurrogates() {
    for (String bad :
        List.of(
            "\u0000",
            "a\nb",
            "\t",
            "\u007f",
            "\u0085",
            "\ud83d",
            "\ude00",
            "a\ud83d",
            "\ude00\ud83d")) {
      assertRefused("control characters", () -> IdempotencyKey.of("o", bad));
      assertRefused("control characters", () -> IdempotencyKey.of(bad, "k"));
      assertRefused("control characters", () -> IdempotencyKey.of("o", "k").tenant(bad));
      assertRefused("control characters", () -> IdempotencyKey.of("o", "k").principal(bad));
    }
    assertThat(IdempotencyKey.of("o", "😀 é ☕").key()).isEqualTo("😀 é ☕");
  }

  @Test
  @SuppressWarnings("NullAway")
  void nullsAreRefused() {
    assertRefused("must not be null", () -> IdempotencyKey.of("o", null));
    assertRefused("must not be null", () -> IdempotencyKey.of(null, "k"));
    assertRefused("must not be null", () -> IdempotencyKey.of("o", "k").tenant(null));
    assertRefused("must not be null", () -> IdempotencyKey.of("o", "k").principal(null));
  }

  @Test
  void digestSeparatesParts() {
    List<IdempotencyKey> keys =
        List.of(
            new IdempotencyKey("a", "b", "c", "d"),
            new IdempotencyKey("ab", "", "c", "d"),
            new IdempotencyKey("", "ab", "c", "d"),
            new IdempotencyKey("a", "bc", "d", "d"),
            new IdempotencyKey("a", "b", "cd", "d"),
            new IdempotencyKey("a", "b", "c", "D"),
            new IdempotencyKey("a", "b", "c", "d "),
            new IdempotencyKey("b", "a", "c", "d"));

    assertThat(keys.stream().map(key -> HexFormat.of().formatHex(key.digest())).distinct())
        .hasSize(keys.size());
    assertThat(keys).allSatisfy(key -> assertThat(key.digest()).hasSize(32));
    assertThat(Arrays.equals(keys.get(0).digest(), new IdempotencyKey("a", "b", "c", "d").digest()))
        .isTrue();
  }

  @Test
  void theDigestNeverChangesBetweenVersions() {
    assertThat(HexFormat.of().formatHex(IdempotencyKey.of("POST /orders", "k-1").digest()))
        .isEqualTo("d5c0b26ec2e1df737909ce934dd4595e1c4b7446cf4bb57cf44a851838b5dc30");
  }

  @Test
  void itsTextNamesAllThatIsThere() {
    assertThat(IdempotencyKey.of("POST /orders", "k-1")).hasToString("'k-1' of 'POST /orders'");
    assertThat(new IdempotencyKey("acme", "ana", "POST /orders", "k-1"))
        .hasToString("'k-1' of 'POST /orders' by 'ana' in 'acme'");
  }
}
