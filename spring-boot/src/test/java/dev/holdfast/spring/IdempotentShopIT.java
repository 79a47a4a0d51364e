package dev.holdfast.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests with a key, sent to an application that has only switched the filter on. */
class IdempotentShopIT {
  private static final String FILTER = "holdfast.idempotency.filter.enabled=true";

  private static final String CLAIMS =
      "spring.autoconfigure.exclude="
          + HoldfastRequestTransactionsAutoConfiguration.class.getName();

  @Test
  void anOrderThatIsPostedTwiceIsPlacedOnce() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER))) {
      HttpResponse<String> first = shop.post("/orders", "ana", "k");
      HttpResponse<String> again = shop.post("/orders", "ana", "k");

      assertThat(first.statusCode()).isEqualTo(201);
      assertThat(again.statusCode()).isEqualTo(201);
      assertThat(again.body()).isEqualTo(first.body()).isNotEmpty();
      assertThat(first.headers().firstValue("Idempotent-Replayed")).isEmpty();
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(first.headers().firstValue("Idempotency-Mode")).hasValue("transaction");
      assertThat(shop.orders()).isEqualTo(1);
      assertThat(shop.records()).isEqualTo(1);
    }
  }

  @Test
  void theSameKeyOfAnotherCustomerIsAnotherOrder() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER))) {
      HttpResponse<String> anas = shop.post("/orders", "ana", "k");
      HttpResponse<String> bens = shop.post("/orders", "ben", "k");

      assertThat(bens.statusCode()).isEqualTo(201);
      assertThat(bens.body()).isNotEqualTo(anas.body());
      assertThat(shop.orders()).isEqualTo(2);
    }
  }

  /** Spring sends it by sendError, and Boot makes its page each time, with a time stamp. */
  @Test
  void anErrorPageOfBootIsMadeAnewWithTheSameStatus() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER))) {
      HttpResponse<String> first = shop.post("/sold-out", "ana", "k");
      HttpResponse<String> again = shop.post("/sold-out", "ana", "k");

      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(again.statusCode()).isEqualTo(409);
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(withoutTime(again.body())).isEqualTo(withoutTime(first.body()));
      assertThat(shop.orders()).isZero();
      assertThat(shop.records()).isEqualTo(1);
    }
  }

  private static String withoutTime(String body) {
    assertThat(body).contains("\"timestamp\"");
    return body.replaceAll("\"timestamp\":\"[^\"]*\"", "");
  }

  @Test
  void problemDetailsOfSpringAreRepeatedToTheByte() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER, "spring.mvc.problemdetails.enabled=true"))) {
      HttpResponse<String> first = shop.post("/sold-out", "ana", "k");
      HttpResponse<String> again = shop.post("/sold-out", "ana", "k");

      assertThat(first.statusCode()).isEqualTo(409);
      assertThat(first.body()).contains("sold out before");
      assertThat(again.statusCode()).isEqualTo(409);
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(again.body()).isEqualTo(first.body());
      assertThat(shop.orders()).isZero();
    }
  }

  @Test
  void anExceptionRollsBackTheOrderAndItsRecord() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER))) {
      assertThat(shop.post("/broken", "ana", "k").statusCode()).isEqualTo(500);

      assertThat(shop.orders()).isZero();
      assertThat(shop.records()).isZero();
    }
  }

  @Test
  void aSuccessAfterAnExceptionThatMarkedTheTransactionIsNotToldAsOne() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER))) {
      HttpResponse<String> caught = shop.post("/caught", "ana", "k");

      assertThat(caught.statusCode()).isEqualTo(500);
      assertThat(caught.body()).contains("urn:holdfast:problem:idempotency-rolled-back");
      assertThat(shop.orders()).isZero();
      assertThat(shop.records()).isZero();
    }
  }

  @Test
  void aRefusalRollsBackTheOrderAndIsKept() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER))) {
      assertThatItIsRefusedAsBefore(shop);
      assertThat(shop.orders()).isZero();
    }
  }

  @Test
  void aRefusalUnderAClaimIsKeptToo() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER, CLAIMS))) {
      assertThatItIsRefusedAsBefore(shop);
    }
  }

  private static void assertThatItIsRefusedAsBefore(Shop shop)
      throws IOException, InterruptedException {
    HttpResponse<String> first = shop.post("/refused", "ana", "k");
    HttpResponse<String> again = shop.post("/refused", "ana", "k");

    assertThat(first.statusCode()).isEqualTo(422);
    assertThat(first.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(first.body()).contains("urn:holdfast:problem:idempotency-rejected", "no more after");
    assertThat(again.statusCode()).isEqualTo(422);
    assertThat(again.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(shop.records()).isEqualTo(1);
  }

  @Test
  void aFormThatIsPutTwiceIsPlacedOnce() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER))) {
      HttpResponse<String> first = shop.send(form(shop, "what=apples"));
      HttpResponse<String> again = shop.send(form(shop, "what=apples"));

      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(again.body()).isEqualTo(first.body());
      assertThat(shop.send(form(shop, "what=pears")).statusCode()).isEqualTo(422);
      assertThat(shop.orders()).isEqualTo(1);
    }
  }

  private static HttpRequest.Builder form(Shop shop, String body) {
    return shop.request("/orders", "ana")
        .header("Idempotency-Key", "k")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .PUT(BodyPublishers.ofString(body));
  }

  @Test
  void withoutTransactionsRequestsAreClaimedAndMayBeAsync() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER, CLAIMS))) {
      HttpResponse<String> first = shop.post("/async", "ana", "k");
      HttpResponse<String> again = shop.post("/async", "ana", "k");

      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.headers().firstValue("Idempotency-Mode")).hasValue("lease");
      assertThat(again.body()).isEqualTo(first.body()).isNotEmpty();
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(shop.orders()).isEqualTo(1);
    }
  }

  @Test
  void pathsThatAreClaimedMayBeAsyncBesideThoseInTransactions() throws Exception {
    String async = "holdfast.idempotency.filter.lease-url-patterns=/async/*";
    try (Shop shop = Shop.open(List.of(FILTER, async))) {
      HttpResponse<String> first = shop.post("/async", "ana", "k");
      HttpResponse<String> again = shop.post("/async", "ana", "k");
      HttpResponse<String> other = shop.post("/orders", "ana", "k");

      assertThat(first.statusCode()).isEqualTo(200);
      assertThat(first.headers().firstValue("Idempotency-Mode")).hasValue("lease");
      assertThat(again.body()).isEqualTo(first.body()).isNotEmpty();
      assertThat(again.headers().firstValue("Idempotent-Replayed")).hasValue("true");
      assertThat(other.headers().firstValue("Idempotency-Mode")).hasValue("transaction");
      assertThat(shop.orders()).isEqualTo(2);
    }
  }

  @Test
  void otherPathsAreLeftAlone() throws Exception {
    try (Shop shop =
        Shop.open(List.of(FILTER, "holdfast.idempotency.filter.url-patterns=/payments/*"))) {
      assertThatBothArePlaced(shop);
    }
  }

  @Test
  void nothingIsChangedUnlessTheFilterIsSwitchedOn() throws Exception {
    try (Shop shop = Shop.open(List.of())) {
      assertThatBothArePlaced(shop);
    }
  }

  private static void assertThatBothArePlaced(Shop shop) throws IOException, InterruptedException {
    shop.post("/orders", "ana", "k");
    HttpResponse<String> again = shop.post("/orders", "ana", "k");

    assertThat(again.headers().firstValue("Idempotency-Mode")).isEmpty();
    assertThat(shop.orders()).isEqualTo(2);
  }

  @Test
  void aRecordWhoseTimeIsOverIsRemovedInTheBackground() throws Exception {
    try (Shop shop = Shop.open(List.of(FILTER, "holdfast.idempotency.cleanup-interval=20ms"))) {
      shop.post("/orders", "ana", "old");
      shop.post("/orders", "ana", "young");
      shop.jdbc()
          .sql(
              "UPDATE holdfast_idempotency SET expires_at = started_at WHERE idempotency_key ="
                  + " 'old'")
          .update();

      await().until(() -> shop.records() == 1);
      assertThat(shop.post("/orders", "ana", "young").headers().map())
          .containsKey("Idempotent-Replayed");
      assertThat(shop.post("/orders", "ana", "old").headers().map())
          .doesNotContainKey("Idempotent-Replayed");
    }
  }
}
