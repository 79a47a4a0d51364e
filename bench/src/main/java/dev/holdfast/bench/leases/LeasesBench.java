package dev.holdfast.bench.leases;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.Hands;
import dev.holdfast.bench.Turns;
import dev.holdfast.lease.Leases;
import dev.holdfast.redis.RedisLeaseStore;
import dev.holdfast.sql.Migrations;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import io.lettuce.core.RedisClient;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * Leases on Redis and on a durable PostgreSQL, in turns with what is written by hand and with the
 * peers: pairs of acquire and release of free names, and one name that several wait for.
 */
public final class LeasesBench {
  private static final int MOST = 8;
  private static final List<Integer> HANDS = List.of(1, MOST);
  private static final List<Integer> WAITERS = List.of(2, MOST);

  /** Each of those who wait has one, and one to listen. */
  private static final int CONNECTIONS = 2 * MOST + 4;

  private final PrintStream out;
  private final Duration slice;
  private final int rounds;
  private final List<String> results = new ArrayList<>();

  private LeasesBench(boolean quick, PrintStream out) {
    this.out = out;
    this.slice = Duration.ofMillis(quick ? 300 : 1000);
    this.rounds = quick ? 9 : 15;
  }

  public static void run(boolean quick, PrintStream out) throws Exception {
    LeasesBench bench = new LeasesBench(quick, out);
    bench.onRedis();
    bench.onPostgreSql();
    bench.results.forEach(out::println);
  }

  private void onRedis() throws Exception {
    try (KillableRedis server = KillableRedis.start()) {
      RedisClient client = RedisClient.create(server.uri());
      try (RedisLeaseStore store = RedisLeaseStore.using(client);
          Locks holdfast = HoldfastLocks.together(Leases.on(store));
          Locks raw = new RawScripts(client, /* fenced= */ true);
          Locks setNx = new RawScripts(client, /* fenced= */ false);
          Locks redisson = new RedissonLocks(server.uri(), /* fenced= */ false);
          Locks fenced = new RedissonLocks(server.uri(), /* fenced= */ true)) {
        head("Redis: pairs of acquire and release per second");
        pairs("leases.redis.vs-raw", "hand-written scripts with a token", holdfast, raw);
        pairs("", "SET NX PX, without a token", holdfast, setNx);
        pairs("leases.redis.vs-redisson", "Redisson, fenced", holdfast, fenced);
        pairs("", "Redisson, plain", holdfast, redisson);
        head("Redis: hand-overs to another per second, of one name that all want");
        handOvers("leases.redis.handover.vs-redisson", "Redisson, plain", holdfast, redisson);
        handOvers("", "Redisson, fenced", holdfast, fenced);
      } finally {
        client.shutdown();
      }
    }
  }

  private void onPostgreSql() throws Exception {
    try (TestSchema schema = TestDatabase.durablePostgreSql().newSchema()) {
      DataSource dataSource = schema.dataSource(CONNECTIONS);
      Migrations.on(dataSource).migrate();
      SpringLocks.createTable(schema);
      Leases leases = Holdfast.using(dataSource).leases();
      Locks holdfast = HoldfastLocks.together(leases);
      Locks spring = SpringLocks.together(dataSource);
      head("durable PostgreSQL: pairs of acquire and release per second");
      pairs(
          "leases.postgresql.vs-raw",
          "hand-written upsert with a token",
          holdfast,
          new RawUpsert(schema, dataSource, /* flushed= */ true));
      pairs(
          "",
          "the same, releases not flushed",
          holdfast,
          new RawUpsert(schema, dataSource, /* flushed= */ false));
      pairs(
          "leases.postgresql.vs-shedlock", "ShedLock", holdfast, new ShedLocks(schema, dataSource));
      pairs("", "Spring Integration", holdfast, spring);
      head("durable PostgreSQL: hand-overs to another per second, of one name that all want");
      handOvers(
          "leases.postgresql.handover.vs-spring-integration",
          "Spring Integration, an instance each",
          HoldfastLocks.apart(leases),
          SpringLocks.apart(dataSource));
      handOvers("", "Spring Integration, one instance", holdfast, spring);
      head("shared cache: thousands of local hits per second");
      Hands.Deed shared = CacheHits.shared(leases, dataSource);
      hits("cache.hit.vs-caffeine", "Caffeine, values that expire", shared, CacheHits.expiring());
      hits("", "Caffeine, values kept for ever", shared, CacheHits.lasting());
    }
  }

  private void head(String title) {
    out.printf(
        "%n%s%n%-36s %8s %12s %12s %7s%n", title, "", "threads", "holdfast/s", "other/s", "ratio");
  }

  private void pairs(String result, String peer, Locks ours, Locks theirs) throws Exception {
    for (int hands : HANDS) {
      turns(result, peer, hands, hand -> pair(ours, hand), hand -> pair(theirs, hand));
    }
  }

  private static int pair(Locks locks, int hand) throws Exception {
    locks.pair("pair-" + hand);
    return 1;
  }

  private void handOvers(String result, String peer, Locks ours, Locks theirs) throws Exception {
    for (int hands : WAITERS) {
      Baton baton = new Baton();
      turns(
          result,
          peer,
          hands,
          hand -> baton.passed(ours, hand),
          hand -> baton.passed(theirs, hand));
    }
  }

  private void hits(String result, String peer, Hands.Deed ours, Hands.Deed theirs)
      throws Exception {
    for (int hands : HANDS) {
      turns(result, peer, hands, ours, theirs);
    }
  }

  /** The ratio with the most hands is the result. */
  private void turns(String result, String peer, int count, Hands.Deed ours, Hands.Deed theirs)
      throws Exception {
    try (Hands hands = new Hands(count)) {
      Turns turns =
          Turns.of(
              3, rounds, () -> hands.perSecond(slice, ours), () -> hands.perSecond(slice, theirs));
      row(peer, count, turns);
      if (!result.isEmpty() && count == MOST) {
        results.add(String.format(Locale.ROOT, "ratio %s %.2f", result, turns.ratio()));
      }
    }
  }

  private void row(String peer, int threads, Turns turns) {
    out.printf(
        Locale.ROOT,
        "%-36s %8d %12.0f %12.0f %7.2f%n",
        peer,
        threads,
        turns.first(),
        turns.second(),
        turns.ratio());
  }
}
