package dev.holdfast.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cache.json.JsonValues;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonValuesTest {
  record Price(long cents, String currency) {}

  @Test
  void recordsAndListsAreJson() {
    JsonValues<Price> prices = JsonValues.of(Price.class);
    JsonValues<List<Price>> lists = JsonValues.listOf(Price.class);
    Price price = new Price(100, "EUR");

    assertThat(new String(prices.write(price), UTF_8))
        .isEqualTo("{\"cents\":100,\"currency\":\"EUR\"}");
    assertThat(prices.read(prices.write(price))).isEqualTo(price);
    assertThat(lists.read(lists.write(List.of(price)))).containsExactly(price);
  }

  @Test
  void ignoresUnknownFields() {
    byte[] newer = "{\"cents\":1,\"currency\":\"EUR\",\"tax\":2}".getBytes(UTF_8);

    assertThat(JsonValues.of(Price.class).read(newer)).isEqualTo(new Price(1, "EUR"));
  }

  @Test
  void aClassOfWhichNothingIsSeenIsRefused() {
    assertThatThrownBy(() -> JsonValues.of(Object.class).write(new Object()))
        .isInstanceOf(RuntimeException.class);
  }
}
