package dev.holdfast.bench.idempotency;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.Hands;
import dev.holdfast.bench.Results;
import dev.holdfast.bench.Turns;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.redis.RedisIdempotencyStore;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.workflow.Workflows;
import io.lettuce.core.RedisClient;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/**
 * Orders on a durable PostgreSQL with {@code once}, in turns with the same orders without any key
 * and with one by hand; replays; claims on Redis; and all over HTTP with and without the filter.
 */
public final class IdempotencyBench {
  private static final int MAX = 8;
  private static final int OLD = 30_000;

  /** The others are only shown. */
  private static final Map<String, Double> AIMS =
      Map.of(
          "idempotency.once.vs-handwritten", 0.9,
          "idempotency.once.vs-none", 0.5,
          "idempotency.replay.vs-none", 3.0,
          "idempotency.http.vs-none", 0.6);

  private static final List<Integer> HANDS = List.of(1, MAX);
  private static final byte[] PAYLOAD =
      "{\"customer\":\"ana@example.com\",\"item\":7}".getBytes(StandardCharsets.UTF_8);

  private final PrintStream out;
  private final Duration slice;
  private final int rounds;
  private final Results results;

  private IdempotencyBench(boolean quick, Results results) {
    this.results = results;
    this.out = results.out();
    this.slice = Duration.ofMillis(quick ? 400 : 1000);
    this.rounds = quick ? 15 : 25;
  }

  public static void run(boolean quick, Results results) throws Exception {
    IdempotencyBench bench = new IdempotencyBench(quick, results);
    bench.onPostgreSql();
    bench.onRedis();
  }

  private void onPostgreSql() throws Exception {
    try (TestSchema schema = TestDatabase.durablePostgreSql().newSchema()) {
      DataSource dataSource = schema.dataSource(MAX + 2);
      Holdfast.create(dataSource).migrations().migrate();
      Orders.create(schema);
      ByHand.create(schema);
      Idempotency idempotency = Holdfast.create(dataSource).idempotency();
      ByHand byHand = new ByHand(dataSource);
      Hands.Deed none = hand -> one(Orders.placeAlone(dataSource));
      Hands.Deed once = hand -> one(order(idempotency, UUID.randomUUID().toString(), false));
      head("durable PostgreSQL: orders per second");
      compare(
          "idempotency.once.vs-handwritten",
          "with a key by hand",
          once,
          hand -> one(byHand.place(UUID.randomUUID().toString(), PAYLOAD)));
      compare("idempotency.once.vs-none", "without any key", once, none);
      head("durable PostgreSQL: replays per second");
      String[] keys = new String[MAX];
      for (int hand = 0; hand < MAX; hand++) {
        keys[hand] = UUID.randomUUID().toString();
        order(idempotency, keys[hand], false);
        byHand.place(keys[hand], PAYLOAD);
      }
      Hands.Deed replay = hand -> one(order(idempotency, keys[hand], true));
      compare("", "replays by hand", replay, hand -> one(byHand.place(keys[hand], PAYLOAD)));
      compare(
          "idempotency.replay-here.vs-none",
          "answered by this instance; orders without any key",
          replay,
          none);
      // in their order, and so many that this instance has forgotten each when it comes again
      String[] old = fill(Holdfast.create(dataSource).idempotency());
      AtomicInteger next = new AtomicInteger();
      compare(
          "idempotency.replay.vs-none",
          "answered by another; orders without any key",
          hand -> one(order(idempotency, old[Math.floorMod(next.getAndIncrement(), OLD)], true)),
          none);
      head("over HTTP (Tomcat): orders per second");
      try (OrderServer server = OrderServer.start(dataSource)) {
        compare(
            "idempotency.http.vs-none", "without the filter", server.keyed(MAX), server.plain(MAX));
      }
    }
  }

  private String[] fill(Idempotency idempotency) {
    String[] keys = new String[OLD];
    for (int i = 0; i < OLD; i++) {
      keys[i] = UUID.randomUUID().toString();
      order(idempotency, keys[i], false);
    }
    return keys;
  }

  private static long order(Idempotency idempotency, String key, boolean again) {
    IdempotencyResult<Long> result =
        idempotency.execute(
            IdempotencyRequest.of(
                    IdempotencyKey.of("POST /orders", key).principal("ana@example.com"),
                    Codec.longs())
                .fingerprint(Fingerprint.of(PAYLOAD)),
            tx -> {
              try {
                return Orders.place(tx.connection());
              } catch (java.sql.SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    if (again != result instanceof IdempotencyResult.Replayed<Long>) {
      throw new IllegalStateException("not as it must be: " + result);
    }
    return result.orElseThrow();
  }

  private void onRedis() throws Exception {
    try (KillableRedis server = KillableRedis.start()) {
      RedisClient client = RedisClient.create(server.uri());
      try (RedisIdempotencyStore store = RedisIdempotencyStore.using(client);
          RedisByHand byHand = new RedisByHand(client)) {
        Workflows claims = Holdfast.createWorkflows(store);
        String[] keys = new String[MAX];
        for (int hand = 0; hand < MAX; hand++) {
          keys[hand] = UUID.randomUUID().toString();
          claimed(claims, keys[hand], false);
          byHand.run(keys[hand], "4711");
        }
        head("Redis: requests without work of their own per second");
        compare(
            "idempotency.redis.once.vs-handwritten",
            "SET NX and a script by hand",
            hand -> claimed(claims, UUID.randomUUID().toString(), false),
            hand -> one(byHand.run(UUID.randomUUID().toString(), "4711").length()));
        head("Redis: replays per second");
        compare(
            "idempotency.redis.replay.vs-handwritten",
            "replays by hand",
            hand -> claimed(claims, keys[hand], true),
            hand -> one(byHand.run(keys[hand], "4711").length()));
      } finally {
        client.shutdown();
      }
    }
  }

  private static int claimed(Workflows claims, String key, boolean again) {
    IdempotencyResult<String> result =
        claims.run(
            IdempotencyRequest.of(
                    IdempotencyKey.of("POST /orders", key).principal("ana@example.com"),
                    Codec.text())
                .fingerprint(Fingerprint.of(PAYLOAD)),
            claim -> "4711");
    if (again != result instanceof IdempotencyResult.Replayed<String>) {
      throw new IllegalStateException("not as it must be: " + result);
    }
    return 1;
  }

  private static int one(long unused) {
    return 1;
  }

  private void head(String title) {
    out.printf(
        "%n%s%n%-50s %8s %12s %12s %7s%n", title, "", "threads", "holdfast/s", "other/s", "ratio");
  }

  /** The ratio with the most hands is the result. */
  private void compare(String result, String peer, Hands.Deed ours, Hands.Deed theirs)
      throws Exception {
    for (int count : HANDS) {
      try (Hands hands = new Hands(count)) {
        Turns turns =
            Turns.of(
                4,
                rounds,
                () -> hands.perSecond(slice, ours),
                () -> hands.perSecond(slice, theirs));
        out.printf(
            Locale.ROOT,
            "%-50s %8d %12.0f %12.0f %7.2f%n",
            peer,
            count,
            turns.first(),
            turns.second(),
            turns.ratio());
        if (!result.isEmpty() && count == MAX) {
          Double aim = AIMS.get(result);
          if (aim == null) {
            results.ratio(result, turns);
          } else {
            results.atLeast(result, aim, turns);
          }
        }
      }
    }
  }
}
