package dev.holdfast.jackson;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.codec.Codec;
import dev.holdfast.codec.CodecFactory;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

class JacksonCodecsTest {
  record Price(long totalCents, String currency) {}

  private static final Price PRICE = new Price(100, "EUR");

  @Test
  void recordsAndListsAreJson() {
    Codec<Price> prices = JacksonCodecs.of(Price.class);
    Codec<List<Price>> lists = JacksonCodecs.listOf(Price.class);

    assertThat(new String(prices.encode(PRICE), UTF_8))
        .isEqualTo("{\"totalCents\":100,\"currency\":\"EUR\"}");
    assertThat(prices.isText()).isTrue();
    assertThat(prices.decode(prices.encode(PRICE))).isEqualTo(PRICE);
    assertThat(lists.decode(lists.encode(List.of(PRICE)))).containsExactly(PRICE);
  }

  @Test
  void unknownPropertiesAreIgnored() {
    byte[] newer = "{\"totalCents\":1,\"currency\":\"EUR\",\"tax\":2}".getBytes(UTF_8);

    assertThat(JacksonCodecs.of(Price.class).decode(newer)).isEqualTo(new Price(1, "EUR"));
  }

  @Test
  void aClassWithoutPropertiesIsRejected() {
    assertThatThrownBy(() -> JacksonCodecs.of(Object.class).encode(new Object()))
        .isInstanceOf(RuntimeException.class);
  }

  @Test
  @SuppressWarnings("NullAway")
  void nullIsRejected() {
    assertThatThrownBy(() -> JacksonCodecs.of(Price.class).encode(null))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theMapperOfTheApplicationIsUsed() {
    JacksonCodecs codecs =
        JacksonCodecs.create(
            JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build());

    assertThat(new String(codecs.codec(Price.class).encode(PRICE), UTF_8))
        .isEqualTo("{\"total_cents\":100,\"currency\":\"EUR\"}");
  }

  @Test
  void theServiceLoaderFindsThem() {
    assertThat(ServiceLoader.load(CodecFactory.class))
        .hasAtLeastOneElementOfType(JacksonCodecs.class);
  }
}
