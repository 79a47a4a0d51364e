package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseKind;
import io.lettuce.core.cluster.SlotHash;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LeaseKeysTest {
  private static final List<String> NAMES =
      List.of("a", "}", "{", "{}", "}{", "a}:b", "a}", "{e:a", "👋}", "x".repeat(300));

  private final LeaseKeys keys = new LeaseKeys("holdfast");

  @ParameterizedTest
  @EnumSource(LeaseKind.class)
  void allKeysOfALeaseAreInOneSlot(LeaseKind kind) {
    for (String name : NAMES) {
      LeaseKeys.Of of = keys.of(new LeaseKey(kind, name));
      int slot = SlotHash.getSlot(of.state);
      assertThat(SlotHash.getSlot(of.queue)).isEqualTo(slot);
      assertThat(SlotHash.getSlot(of.third)).isEqualTo(slot);
    }
  }

  @ParameterizedTest
  @EnumSource(LeaseKind.class)
  void aKeyTellsItsLease(LeaseKind kind) {
    for (String name : NAMES) {
      LeaseKey key = new LeaseKey(kind, name);
      LeaseKeys.Of of = keys.of(key);
      assertThat(keys.parse(of.state, 0)).isEqualTo(key);
      assertThat(keys.parse(of.queue, 0)).isNull();
      assertThat(keys.parse(of.third, 0)).isNull();
    }
  }

  @ParameterizedTest
  @EnumSource(LeaseKind.class)
  void noTwoLeasesShareAKey(LeaseKind kind) {
    Set<String> all = new HashSet<>();
    for (String name : NAMES) {
      LeaseKeys.Of of = keys.of(new LeaseKey(kind, name));
      all.add(new String(of.state, UTF_8));
      all.add(new String(of.queue, UTF_8));
      all.add(new String(of.third, UTF_8));
    }
    assertThat(all).hasSize(NAMES.size() * 3);
  }
}
