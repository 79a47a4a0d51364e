package dev.holdfast.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class JsonTest {
  @Test
  void readsWhatJsonCanSay() {
    Map<String, Object> expected = new HashMap<>();
    expected.put("a", Arrays.asList(1.0, -2.5e3, null, true, false));
    expected.put("b", Map.of());
    expected.put("c", "\"\\/\b\f\n\r\té😀");
    expected.put("", List.of());

    assertThat(
            Json.read(
                " { \"a\" : [1, -2.5e3,null,true , false],\"b\":{},"
                    + "\"c\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\", \"\":[ ] } "))
        .isEqualTo(expected);
  }

  @Test
  void refusesWhatIsNoJson() {
    for (String wrong :
        List.of(
            "",
            "{",
            "[1,",
            "{\"a\" 1}",
            "tru",
            "\"a",
            "\"\\x\"",
            "1 2",
            "[1 2]",
            "\"\\u12",
            "-",
            "{1:2}",
            "[".repeat(100_000))) {
      assertThatIllegalArgumentException().as(wrong).isThrownBy(() -> Json.read(wrong));
    }
  }

  @Test
  void readsWhatItHasWritten() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      Map<String, Object> value = Map.of("v", value(random, 0));
      assertThat(Json.read(Json.write(value))).as("seed %d", seed).isEqualTo(value);
    }
  }

  private static Object value(Random random, int depth) {
    return switch (random.nextInt(depth > 4 ? 3 : 5)) {
      case 0 -> text(random);
      case 1 -> random.nextBoolean();
      case 2 -> (double) random.nextInt();
      case 3 -> List.of(value(random, depth + 1), value(random, depth + 1));
      default -> Map.of(text(random), value(random, depth + 1));
    };
  }

  private static String text(Random random) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(10); length > 0; length--) {
      text.appendCodePoint(random.nextInt(0xd000));
    }
    return text.toString();
  }
}
