package dev.holdfast.bench.leases;

import dev.holdfast.Holdfast;
import dev.holdfast.bench.Hands;
import dev.holdfast.bench.Results;
import dev.holdfast.bench.Turns;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.redis.RedisLeaseStore;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import io.lettuce.core.RedisClient;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * Leases on Redis and on a durable PostgreSQL, in turns with what is written by hand and with the
 * peers: pairs of acquire and release of free names, and one name that several wait for.
 */
public final class LeasesBench {
  private static final int MAX = 8;
  private static final List<Integer> HANDS = List.of(1, MAX);
  private static final List<Integer> WAITERS = List.of(2, MAX);

  /** Each of those who wait has one, and one to listen. */
  private static final int CONNECTIONS = 2 * MAX + 4;

  private final PrintStream out;
  private final Duration slice;
  private final int rounds;
  private final Results results;

  private LeasesBench(boolean quick, Results results) {
    this.results = results;
    this.out = results.out();
    this.slice = Duration.ofMillis(quick ? 300 : 1000);
    this.rounds = quick ? 9 : 15;
  }

  public static void run(boolean quick, Results results) throws Exception {
    LeasesBench bench = new LeasesBench(quick, results);
    bench.onRedis();
    bench.onPostgreSql();
  }

  private void onRedis() throws Exception {
    try (KillableRedis server = KillableRedis.start()) {
      RedisClient client = RedisClient.create(server.uri());
      try (RedisLeaseStore store = RedisLeaseStore.using(client);
          Locks holdfast = HoldfastLocks.together(Holdfast.createLeases(store));
          Locks raw = new RawScripts(client, /* fenced= */ true);
          Locks setNx = new RawScripts(client, /* fenced= */ false);
          Locks redisson = new RedissonLocks(server.uri(), /* fenced= */ false);
          Locks fenced = new RedissonLocks(server.uri(), /* fenced= */ true)) {
        head("Redis: pairs of acquire and release per second");
        pairs(aim("leases.redis.vs-raw", 0.90), "hand-written scripts with a token", holdfast, raw);
        pairs(NONE, "SET NX PX, without a token", holdfast, setNx);
        pairs(aim("leases.redis.vs-redisson", 1.6), "Redisson, fenced", holdfast, fenced);
        pairs(NONE, "Redisson, plain", holdfast, redisson);
        head("Redis: hand-overs to another per second, of one name that all want, in one process");
        handOvers(
            aim("leases.redis.handover.in-process.vs-redisson", 1.6),
            "Redisson, plain",
            holdfast,
            redisson);
        handOvers(NONE, "Redisson, fenced", holdfast, fenced);
      } finally {
        client.shutdown();
      }
    }
  }

  private void onPostgreSql() throws Exception {
    try (TestSchema schema = TestDatabase.durablePostgreSql().newSchema()) {
      DataSource dataSource = schema.dataSource(CONNECTIONS);
      Holdfast.create(dataSource).migrations().migrate();
      SpringLocks.createTable(schema);
      LeaseStore store =
          SqlLeaseStore.create(dataSource, Holdfast.create(dataSource).dialect(), null, 1);
      Leases leases = Holdfast.createLeases(store);
      Locks holdfast = HoldfastLocks.together(leases);
      Locks spring = SpringLocks.together(dataSource);
      head("durable PostgreSQL: pairs of acquire and release per second");
      pairs(
          aim("leases.postgresql.vs-raw", 0.90),
          "upsert with a token, as ours: releases not flushed",
          holdfast,
          new RawUpsert(schema, dataSource, /* flushed= */ false));
      pairs(
          NONE,
          "upsert with a token, releases flushed",
          holdfast,
          new RawUpsert(schema, dataSource, /* flushed= */ true));
      try (UnflushedReleases unflushed = new UnflushedReleases(schema, dataSource, CONNECTIONS)) {
        pairs(
            aim("leases.postgresql.vs-shedlock", 1.5),
            "ShedLock, as ours: releases not flushed",
            holdfast,
            new ShedLocks(schema, unflushed));
      }
      pairs(NONE, "ShedLock, releases flushed", holdfast, new ShedLocks(schema, dataSource));
      pairs(NONE, "Spring Integration", holdfast, spring);
      head("durable PostgreSQL: hand-overs to another per second, of one name that all want");
      handOvers(
          aim("leases.postgresql.handover.vs-spring-integration", 1.0),
          "Spring Integration, each 1 ms, an instance each",
          HoldfastLocks.apart(store),
          SpringLocks.apart(dataSource, SpringLocks.QUICK));
      handOvers(
          NONE,
          "Spring Integration, default, an instance each",
          HoldfastLocks.apart(store),
          SpringLocks.apart(dataSource, SpringLocks.DEFAULT));
      handOvers(NONE, "Spring Integration, default, one instance", holdfast, spring);
      head("shared cache: thousands of local hits per second");
      Hands.Deed shared = CacheHits.shared(leases, dataSource);
      hits(
          aim("cache.hit.vs-caffeine", 0.80),
          "Caffeine, expiring, same coarse clock",
          shared,
          CacheHits.expiringByCoarseClock());
      hits(NONE, "Caffeine, expiring, its own clock", shared, CacheHits.expiring());
      hits(NONE, "Caffeine, values kept for ever", shared, CacheHits.lasting());
    }
  }

  /** What becomes of a ratio: a named figure with an aim, or only a row of the table. */
  private interface Aim {
    void to(Results results, Turns turns);
  }

  private static final Aim NONE = (results, turns) -> {};

  private static Aim aim(String name, double atLeast) {
    return (results, turns) -> results.atLeast(name, atLeast, turns);
  }

  private void head(String title) {
    out.printf(
        "%n%s%n%-50s %8s %12s %12s %7s%n", title, "", "threads", "holdfast/s", "other/s", "ratio");
  }

  private void pairs(Aim result, String peer, Locks ours, Locks theirs) throws Exception {
    for (int hands : HANDS) {
      turns(result, peer, hands, hand -> pair(ours, hand), hand -> pair(theirs, hand));
    }
  }

  private static int pair(Locks locks, int hand) throws Exception {
    locks.pair("pair-" + hand);
    return 1;
  }

  private void handOvers(Aim result, String peer, Locks ours, Locks theirs) throws Exception {
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

  private void hits(Aim result, String peer, Hands.Deed ours, Hands.Deed theirs) throws Exception {
    for (int hands : HANDS) {
      turns(result, peer, hands, ours, theirs);
    }
  }

  /** The ratio with the most hands is the result. */
  private void turns(Aim result, String peer, int count, Hands.Deed ours, Hands.Deed theirs)
      throws Exception {
    try (Hands hands = new Hands(count)) {
      Turns turns =
          Turns.of(
              3, rounds, () -> hands.perSecond(slice, ours), () -> hands.perSecond(slice, theirs));
      row(peer, count, turns);
      if (count == MAX) {
        result.to(results, turns);
      }
    }
  }

  private void row(String peer, int threads, Turns turns) {
    out.printf(
        Locale.ROOT,
        "%-50s %8d %12.0f %12.0f %7.2f%n",
        peer,
        threads,
        turns.first(),
        turns.second(),
        turns.ratio());
  }
}
