package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.lease.LeaseKey;
import io.lettuce.core.cluster.SlotHash;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LeaseKeysTest {
  private static final List<String> NAMES =
      List.of("a", "}", "{", "{}", "}{", "a}:b", "a}", "a}:queue", "{e:a", "👋}", "x".repeat(300));

  private static final List<String> MORE = List.of(":queue", ":waiters", ":ends");

  private final LeaseKeys keys = new LeaseKeys("holdfast");

  @ParameterizedTest
  @EnumSource(LeaseKey.Kind.class)
  void allKeysOfALeaseAreInOneSlot(LeaseKey.Kind kind) {
    for (String name : NAMES) {
      String state = new String(keys.state(new LeaseKey(kind, name)), UTF_8);
      for (String more : MORE) {
        assertThat(SlotHash.getSlot(state + more)).isEqualTo(SlotHash.getSlot(state));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LeaseKey.Kind.class)
  void parsesLeaseFromKey(LeaseKey.Kind kind) {
    for (String name : NAMES) {
      LeaseKey key = new LeaseKey(kind, name);
      byte[] state = keys.state(key);
      assertThat(keys.parse(state, 0)).isEqualTo(key);
      for (String more : MORE) {
        assertThat(keys.parse((new String(state, UTF_8) + more).getBytes(UTF_8), 0)).isNull();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(LeaseKey.Kind.class)
  void noTwoLeasesShareAKey(LeaseKey.Kind kind) {
    Set<String> all = new HashSet<>();
    for (String name : NAMES) {
      String state = new String(keys.state(new LeaseKey(kind, name)), UTF_8);
      all.add(state);
      MORE.forEach(more -> all.add(state + more));
    }
    assertThat(all).hasSize(NAMES.size() * (1 + MORE.size()));
  }
}
