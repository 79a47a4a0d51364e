package dev.holdfast.redis;

import dev.holdfast.Holdfast;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/**
 * A process whose threads acquire a lease in turns. Says {@code ready}; for a line with the numbers
 * of threads and of turns of each, {@code alone}, or what was wrong. A judge, which is a Redis of
 * its own, knows the greatest token and counts the turns.
 */
final class RedisLeasesMain {
  static final String TOKEN = "judge:token";
  static final String TURNS = "judge:turns";

  private static final String NAME = "contended";

  /** Answers 1 where the token is greater than all before. */
  private static final String ENTER =
      """
      if tonumber(ARGV[1]) <= tonumber(redis.call('GET', KEYS[1]) or '0') then return 0 end
      redis.call('SET', KEYS[1], ARGV[1])
      redis.call('INCR', KEYS[2])
      return 1\
      """;

  private final Leases leases;
  private final RedisCommands<String, String> judge;
  private final Queue<String> troubles = new ConcurrentLinkedQueue<>();

  private RedisLeasesMain(Leases leases, RedisCommands<String, String> judge) {
    this.leases = leases;
    this.judge = judge;
  }

  public static void main(String[] args) throws InterruptedException {
    Leases leases = Holdfast.createLeases(ProcessesRedis.of(args).leases());
    RedisCommands<String, String> judge = RedisClient.create(args[3]).connect().sync();
    Scanner in = new Scanner(System.in, StandardCharsets.UTF_8);
    System.out.println("ready");
    new RedisLeasesMain(leases, judge).storm(in.nextInt(), in.nextInt());
    System.exit(0);
  }

  private void storm(int threads, int turns) throws InterruptedException {
    List<Thread> all =
        IntStream.range(0, threads).mapToObj(i -> new Thread(() -> turns(turns))).toList();
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
    System.out.println(troubles.isEmpty() ? "alone" : "troubles " + troubles);
  }

  private void turns(int turns) {
    try {
      for (int i = 0; i < turns; i++) {
        turn();
      }
    } catch (RuntimeException e) {
      troubles.add(e.toString());
    }
  }

  private void turn() {
    Lease lease =
        leases.acquire(
            LeaseRequest.of(NAME, Duration.ofMinutes(1)).waitTimeout(Duration.ofMinutes(5)));
    String token = Long.toString(lease.token());
    long entered = judge.eval(ENTER, ScriptOutputType.INTEGER, new String[] {TOKEN, TURNS}, token);
    if (entered != 1) {
      troubles.add("a token as great as " + token + " was there before");
    }
    if (!token.equals(judge.get(TOKEN))) {
      troubles.add("another came in beside " + token);
    }
    if (lease.release() != Lease.ReleaseResult.RELEASED) {
      troubles.add("it was lost: " + token);
    }
  }
}
