package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cache.CacheStore;
import io.lettuce.core.cluster.SlotHash;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CacheKeysTest {
  private static final List<String> NAMES =
      List.of(
          "a",
          "}",
          "{",
          "{}",
          "}{",
          "a}:b",
          "a}",
          "a}:body",
          "}life",
          "{17}{a",
          "👋}",
          "x".repeat(CacheStore.MAX_NAME_LENGTH));

  private static final List<String> MORE = List.of(":body", ":mark");

  private final CacheKeys keys = new CacheKeys("holdfast");

  private String state(String name) {
    return new String(keys.state(name), UTF_8);
  }

  @Test
  void allKeysOfAValueAreInOneSlot() {
    for (String name : NAMES) {
      String life = state(name).substring(0, state(name).indexOf('}') + 1) + "life";
      assertThat(SlotHash.getSlot(life)).isEqualTo(SlotHash.getSlot(state(name)));
      for (String more : MORE) {
        assertThat(SlotHash.getSlot(state(name) + more)).isEqualTo(SlotHash.getSlot(state(name)));
      }
    }
  }

  @Test
  void theValuesAreSpreadOverTheSlots() {
    int[] masters = new int[16];
    for (int i = 0; i < 16_000; i++) {
      masters[SlotHash.getSlot(state("prices:" + i)) / 1024]++;
    }
    for (int values : masters) {
      assertThat(values).isBetween(500, 1500);
    }
  }

  @Test
  void parsesNameFromKey() {
    for (String name : NAMES) {
      assertThat(keys.parse(keys.state(name), 0)).isEqualTo(name);
      for (String more : MORE) {
        assertThat(keys.parse((state(name) + more).getBytes(UTF_8), 0)).isNull();
      }
    }
    assertThat(keys.parse("holdfast:lease:{1}{a}".getBytes(UTF_8), 0)).isNull();
    assertThat(keys.parse("holdfast:cache:{1}life".getBytes(UTF_8), 0)).isNull();
    assertThat(keys.parse(new byte[0], 0)).isNull();
  }

  @Test
  void noTwoValuesShareAKey() {
    Set<String> all = new HashSet<>();
    for (String name : NAMES) {
      all.add(state(name));
      MORE.forEach(more -> all.add(state(name) + more));
    }
    assertThat(all).hasSize(NAMES.size() * (1 + MORE.size()));
  }
}
