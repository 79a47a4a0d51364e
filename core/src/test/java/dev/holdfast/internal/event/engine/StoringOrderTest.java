package dev.holdfast.internal.event.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.internal.event.store.NewEvent;
import dev.holdfast.internal.event.store.StoredPayload;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StoringOrderTest {
  private static NewEvent event(@Nullable String key, @Nullable String orderingKey) {
    return new NewEvent(
        "text",
        "default",
        5,
        null,
        null,
        null,
        key,
        orderingKey,
        null,
        null,
        null,
        new StoredPayload("a", null));
  }

  private static List<Integer> order(NewEvent... events) {
    return StoringOrder.of(List.of(events));
  }

  @Test
  void eventsWithoutKeysStayAsTheyAre() {
    assertThat(order(event(null, null), event(null, null), event(null, "o")))
        .containsExactly(0, 1, 2);
  }

  @Test
  void keysAreSorted() {
    assertThat(order(event("c", null), event("a", null), event("b", null)))
        .containsExactly(1, 2, 0);
  }

  @Test
  void theSameKeyTwiceStaysInTheGivenOrder() {
    assertThat(order(event("b", null), event("a", null), event("a", null)))
        .containsExactly(1, 2, 0);
  }

  @Test
  void anOrderingKeyKeepsTheGivenOrder() {
    assertThat(order(event("z", "o"), event(null, "o"), event("a", "o"), event("m", null)))
        .containsExactly(3, 0, 1, 2);
  }

  @Test
  void keysOfDifferentOrderingKeysAreSorted() {
    NewEvent[] given = {event("d", "p"), event("b", "o"), event("c", "o"), event("a", "q")};
    assertThat(order(given)).containsExactly(3, 1, 2, 0);
  }
}
