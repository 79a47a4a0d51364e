package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.servlet.TestApp.Endpoint;
import dev.holdfast.servlet.TestApp.Handler;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many requests at once, a part of them repeated: none takes effect twice, none is lost. */
abstract class LoadContract {
  private static final int THREADS = 16;

  private final FilterPlaces places;
  private final int requests;

  /**
   * @param requests how many are sent, of which 30 % are duplicates
   */
  LoadContract(FilterPlaces places, int requests) {
    this.places = places;
    this.requests = requests;
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tx", "/lease"})
  void executesEachRequestOnceUnderLoad(String prefix) throws Exception {
    try (FilterPlace place = places.open()) {
      Endpoint endpoint = place.at(prefix, ordering(place));
      int distinct = requests * 7 / 10;
      List<Integer> orders = orders(distinct);
      Map<Integer, String> answers = new ConcurrentHashMap<>();
      ExecutorService threads = Executors.newFixedThreadPool(THREADS);
      try {
        List<Future<?>> sent = new ArrayList<>();
        for (int order : orders) {
          sent.add(threads.submit(() -> send(place, endpoint, order, answers)));
        }
        for (Future<?> each : sent) {
          each.get(10, TimeUnit.MINUTES);
        }
      } finally {
        threads.shutdownNow();
      }
      assertThat(answers).hasSize(distinct);
      assertThat(place.schema().count("SELECT count(*) FROM orders")).isEqualTo(distinct);
      assertThat(place.schema().count("SELECT count(DISTINCT id) FROM orders")).isEqualTo(distinct);
    }
  }

  /** Half of the duplicates come at the same time as the first, the others at any time. */
  private List<Integer> orders(int distinct) {
    List<Integer> orders = new ArrayList<>();
    for (int i = 0; i < distinct; i++) {
      orders.add(i);
    }
    Random random = new Random(42);
    Collections.shuffle(orders, random);
    while (orders.size() < requests) {
      int place = random.nextInt(orders.size());
      boolean together = random.nextBoolean();
      orders.add(together ? place : random.nextInt(orders.size()), orders.get(place));
    }
    return orders;
  }

  /** Orders by the number in the body; the answer is another one each time that it is made. */
  private static Handler ordering(FilterPlace place) {
    return (request, response) -> {
      String order = new String(request.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      int failing = Math.floorMod(order.hashCode(), 50);
      if (failing == 0 && place.failsNow(order)) {
        // with its row, where that can be rolled back
        IdempotentRequest.from(request)
            .flatMap(IdempotentRequest::transaction)
            .ifPresent(tx -> insert(tx.connection(), order));
        response.sendError(500);
        return;
      }
      IdempotentRequest known = IdempotentRequest.from(request).orElseThrow();
      if (known.transaction().isPresent()) {
        insert(known.transaction().get().connection(), order);
      } else {
        try (Connection connection = place.dataSource().getConnection()) {
          insert(connection, order);
        }
      }
      response.setStatus(201);
      response.setHeader("X-Made", UUID.randomUUID().toString());
      response.getWriter().print("order " + order + " is " + UUID.randomUUID());
    };
  }

  private static void insert(Connection connection, String order) {
    try (PreparedStatement statement =
        connection.prepareStatement("INSERT INTO orders (id) VALUES (?)")) {
      statement.setString(1, order);
      statement.executeUpdate();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** As clients do: again with the same key, until there is an answer. */
  private static void send(
      FilterPlace place, Endpoint endpoint, int order, Map<Integer, String> answers) {
    for (; ; ) {
      HttpResponse<byte[]> response = place.send(endpoint, "order-" + order, "" + order);
      int status = response.statusCode();
      if (status == 409 || status == 500) {
        continue;
      }
      assertThat(status).isEqualTo(201);
      String answer =
          new String(response.body(), StandardCharsets.UTF_8)
              + response.headers().firstValue("X-Made").orElseThrow();
      String other = answers.putIfAbsent(order, answer);
      assertThat(other == null ? answer : other).isEqualTo(answer);
      return;
    }
  }
}
