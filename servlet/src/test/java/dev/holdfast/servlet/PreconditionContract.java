package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.Update;
import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.transaction.Transaction;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Versions over HTTP. */
abstract class PreconditionContract extends FilterContract {
  private static final AtomicInteger CARTS = new AtomicInteger(1000);

  PreconditionContract(FilterPlaces places) {
    super(places);
  }

  private int newCart(int version) {
    int cart = CARTS.incrementAndGet();
    place
        .schema()
        .execute(
            "INSERT INTO carts (id, quantity, version) VALUES (" + cart + ", 1, " + version + ")");
    return cart;
  }

  private static Handler updating(int cart) {
    return (request, response) -> {
      Transaction tx = IdempotentRequest.transaction(request);
      long version =
          Precondition.from(request)
              .update(
                  expected ->
                      Update.table("carts")
                          .set("quantity", 2)
                          .where("id", cart)
                          .version(expected)
                          .apply(tx));
      response.setHeader("ETag", ETags.of(version));
    };
  }

  private HttpResponse<byte[]> put(Endpoint endpoint, String... headers) {
    var request = place.post(endpoint.path(), FilterPlace.newKey(), new byte[0]);
    if (headers.length > 0) {
      request.headers(headers);
    }
    return place.send(request.PUT(BodyPublishers.ofString("2")));
  }

  private long version(int cart) {
    return place.schema().count("SELECT version FROM carts WHERE id = " + cart);
  }

  @Test
  void aChangeOfTheVersionThatIsThereIsMade() {
    int cart = newCart(5);
    Endpoint endpoint = place.at("/problem", updating(cart));
    HttpResponse<byte[]> changed = put(endpoint, "If-Match", "\"5\"");
    assertThat(changed.statusCode()).isEqualTo(200);
    assertThat(changed.headers().firstValue("ETag")).hasValue("\"6\"");
    assertThat(put(endpoint, "If-Match", "\"abc\" , W/\"6\",\"4\",, \"6\"").statusCode())
        .isEqualTo(200);
    assertThat(version(cart)).isEqualTo(7);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"4\"",
        "\"6\"",
        "W/\"5\"",
        "\"05\"",
        "\"five\"",
        "\"\"",
        "\"4\", \"6\"",
        "\"99999999999999999999\""
      })
  void aChangeOfAnotherVersionIsRefused(String match) {
    int cart = newCart(5);
    Endpoint endpoint = place.at("/problem", updating(cart));
    HttpResponse<byte[]> refused = put(endpoint, "If-Match", match);
    assertThat(refused.statusCode()).isEqualTo(412);
    assertThat(refused.body()).asString().contains("urn:holdfast:problem:precondition-failed");
    assertThat(refused.headers().firstValue("X-Outer")).hasValue("outer");
    assertThat(version(cart)).isEqualTo(5);
  }

  @Test
  void rejectionNamesCurrentVersion() {
    Endpoint endpoint = place.at("/problem", updating(newCart(5)));
    assertThat(put(endpoint, "If-Match", "\"4\"").headers().firstValue("ETag")).hasValue("\"5\"");
  }

  @Test
  void aChangeMustSayWhichVersionItChanges() {
    int cart = newCart(5);
    Endpoint endpoint = place.at("/problem", updating(cart));
    for (HttpResponse<byte[]> refused :
        List.of(
            put(endpoint), put(endpoint, "If-Match", "*"), put(endpoint, "If-None-Match", "*"))) {
      assertThat(refused.statusCode()).isEqualTo(428);
      assertThat(refused.body()).asString().contains("urn:holdfast:problem:precondition-required");
    }
    assertThat(version(cart)).isEqualTo(5);
  }

  @Test
  void whatIsNotThereIsMissing() {
    assertThat(put(place.at("/problem", updating(-1)), "If-Match", "\"1\"").statusCode())
        .isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "\"5", "\"5\" \"6\"", "w/\"5\"", "W/5", "", "\"a b\"", "*, \"5\""})
  void aMalformedTagIsRefused(String match) {
    assertThat(put(place.at("/problem", updating(newCart(5))), "If-Match", match).statusCode())
        .isEqualTo(400);
  }

  @Test
  void aChangeHasOnePreconditionOnly() {
    Endpoint endpoint = place.at("/problem", updating(newCart(5)));
    assertThat(put(endpoint, "If-Match", "\"5\"", "If-None-Match", "*").statusCode())
        .isEqualTo(400);
    assertThat(put(endpoint, "If-None-Match", "\"5\"").statusCode()).isEqualTo(400);
  }

  /** Both have looked at the header and would find the version as it should be. */
  @Test
  void ofTwoChangesOfTheSameVersionOneIsMade() {
    int cart = newCart(1);
    CyclicBarrier both = new CyclicBarrier(2);
    Handler update = updating(cart);
    Endpoint endpoint =
        place.at(
            "/problem",
            (request, response) -> {
              Precondition.from(request);
              both.await(1, TimeUnit.MINUTES);
              update.handle(request, response);
            });
    List<Integer> statuses =
        ConcurrentActors.run(2, index -> put(endpoint, "If-Match", "\"1\"").statusCode())
            .resultsOrThrow();
    assertThat(statuses).containsExactlyInAnyOrder(200, 412);
    assertThat(version(cart)).isEqualTo(2);
  }

  @Test
  void whatMustNotBeThereIsMadeOnce() {
    int cart = CARTS.incrementAndGet();
    CyclicBarrier both = new CyclicBarrier(2);
    Endpoint endpoint =
        place.at(
            "/problem",
            (request, response) -> {
              Precondition precondition = Precondition.from(request);
              if (precondition.isCreate()) {
                both.await(1, TimeUnit.MINUTES);
              }
              Transaction tx = IdempotentRequest.transaction(request);
              precondition.create(
                  () ->
                      CreateIfAbsent.table("carts")
                          .key("id", cart)
                          .set("quantity", 1)
                          .set("version", 1)
                          .apply(tx));
              response.setStatus(201);
            });
    List<Integer> statuses =
        ConcurrentActors.run(2, index -> put(endpoint, "If-None-Match", "*").statusCode())
            .resultsOrThrow();
    assertThat(statuses).containsExactlyInAnyOrder(201, 412);
    assertThat(put(endpoint).statusCode()).isEqualTo(428);
  }

  @Test
  void returnsNotModified() {
    Endpoint endpoint =
        place.at(
            "/lease",
            (request, response) -> {
              if (!ETags.checkNotModified(request, response, 5)) {
                response.getWriter().print("five");
              }
            });
    for (String known : new String[] {"\"5\"", "W/\"5\"", "\"4\", \"5\"", "*"}) {
      HttpResponse<byte[]> same =
          place.send(place.request(endpoint.path()).header("If-None-Match", known).GET());
      assertThat(same.statusCode()).isEqualTo(304);
      assertThat(same.headers().firstValue("ETag")).hasValue("\"5\"");
      assertThat(same.body()).isEmpty();
    }
    HttpResponse<byte[]> other =
        place.send(place.request(endpoint.path()).header("If-None-Match", "\"4\"").GET());
    assertThat(other.statusCode()).isEqualTo(200);
    assertThat(other.body()).asString().isEqualTo("five");
    assertThat(other.headers().firstValue("ETag")).hasValue("\"5\"");
  }
}
