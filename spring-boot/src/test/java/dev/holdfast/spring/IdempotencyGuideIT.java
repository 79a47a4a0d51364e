package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.servlet.IdempotencyFilterOptions;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

/** The snippets of the guide to idempotency about Spring Boot, run. */
class IdempotencyGuideIT {
  private static final Pattern SETTINGS =
      Pattern.compile("```properties\\n(.*?)```", Pattern.DOTALL);

  @Configuration(proxyBeanMethods = false)
  static class Options {
    @Bean
    IdempotencyFilterOptions options() {
      return IdempotencyFilterOptions.builder().requireKey(request -> true).build();
    }
  }

  @Test
  void theSettingsOfTheGuideMakeAnApplicationThatTakesOrdersOnce() throws Exception {
    try (Shop shop = Shop.open(settings(), Options.class)) {
      shop.post("/orders", "ana", "k");
      shop.post("/orders", "ana", "k");

      assertThat(shop.orders()).isEqualTo(1);
      assertThat(keptForDays(shop)).isEqualTo(7);
      assertThat(
              shop.send(shop.request("/orders", "ana").POST(BodyPublishers.ofString("2 apples")))
                  .statusCode())
          .isEqualTo(400);
    }
  }

  /** Charges once for a key; the first answer of a slow card is lost. */
  @Component
  static class FakeGateway implements Gateway {
    private final Map<String, String> charges = new ConcurrentHashMap<>();
    private final AtomicInteger calls = new AtomicInteger();

    @Override
    public String charge(String card, long cents, String key) throws IOException {
      int call = calls.incrementAndGet();
      if (card.equals("declined")) {
        return "declined";
      }
      String charge = charges.computeIfAbsent(key, unused -> "ch_" + charges.size());
      if (card.equals("slow") && call == 1) {
        throw new SocketTimeoutException("charged, or not");
      }
      return charge;
    }
  }

  @Test
  void aPaymentThatIsSentTwiceIsChargedOnceAndOrdersStayInTransactions() throws Exception {
    try (Shop shop = payments()) {
      HttpResponse<String> first = pay(shop, "/payments", "4711");
      HttpResponse<String> again = pay(shop, "/payments", "4711");

      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.headers().firstValue("Idempotency-Mode")).hasValue("lease");
      assertThat(again.body()).isEqualTo(first.body()).isEqualTo("ch_0");
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(paid(shop)).isEqualTo(1);
      assertThat(shop.post("/orders", "ana", "k").headers().firstValue("Idempotency-Mode"))
          .hasValue("transaction");
    }
  }

  @Test
  void aPathThatIsSpeltInAnotherWayIsClaimedToo() throws Exception {
    try (Shop shop = payments()) {
      assertThat(pay(shop, "/%70ayments", "4711").headers().firstValue("Idempotency-Mode"))
          .hasValue("lease");
    }
  }

  @Test
  void aPaymentWhoseAnswerWasLostIsCompletedWithoutItsClient() throws Exception {
    try (Shop shop = payments()) {
      assertThat(pay(shop, "/payments", "slow").statusCode()).isEqualTo(500);

      await().atMost(Duration.ofMinutes(1)).until(() -> paid(shop) == 1);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> pay(shop, "/payments", "slow").body().equals("ch_0"));
      assertThat(paid(shop)).isEqualTo(1);
    }
  }

  @Test
  void aDeclineIsAnAnswerThatIsKept() throws Exception {
    try (Shop shop = payments()) {
      HttpResponse<String> first = pay(shop, "/payments", "declined");
      HttpResponse<String> again = pay(shop, "/payments", "declined");

      assertThat(first.statusCode()).isEqualTo(422);
      assertThat(first.body()).contains("the card was declined");
      assertThat(again.body()).isEqualTo(first.body());
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(paid(shop)).isZero();
    }
  }

  private static Shop payments() {
    Shop shop =
        Shop.open(
            List.of("holdfast.idempotency.filter.enabled=true"),
            Options.class,
            PaymentConfiguration.class,
            PaymentController.class,
            FakeGateway.class);
    shop.jdbc().sql("CREATE TABLE payments (charge varchar(20), cents bigint)").update();
    return shop;
  }

  private static HttpResponse<String> pay(Shop shop, String path, String card)
      throws IOException, InterruptedException {
    return shop.send(
        shop.request(path, "ana")
            .header("Idempotency-Key", "k")
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString("{\"card\": \"" + card + "\", \"cents\": 100}")));
  }

  private static long paid(Shop shop) {
    return shop.jdbc().sql("SELECT count(*) FROM payments").query(Long.class).single();
  }

  private static long keptForDays(Shop shop) {
    return shop.jdbc()
        .sql("SELECT DATEDIFF('DAY', started_at, expires_at) FROM holdfast_idempotency")
        .query(Long.class)
        .single();
  }

  private static List<String> settings() throws IOException {
    Path guide = Path.of("").toAbsolutePath().resolveSibling("docs/guides/idempotency.md");
    Matcher found = SETTINGS.matcher(Files.readString(guide));
    assertThat(found.find()).isTrue();
    return found.group(1).lines().toList();
  }
}
