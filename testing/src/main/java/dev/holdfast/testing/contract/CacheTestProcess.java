package dev.holdfast.testing.contract;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.codec.Codec;
import dev.holdfast.lease.Leases;
import dev.holdfast.testing.ConcurrentActors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * An instance with a shared cache, for the main method of a process of {@link
 * CacheProcessesContract}. Says {@code ready}; for each key that comes in, has 25 readers ask for
 * it at once and says {@code loading} when its loader runs, which for a key that begins with {@code
 * stuck} never comes back the first time; then {@code done}, the value, its takeovers, and how long
 * the longest wait was, in milliseconds. Ends when its input ends.
 */
public final class CacheTestProcess {
  static final int READERS = 25;

  /** So long that a busy machine is told from one that waits for two leases. */
  static final Duration LEASE = Duration.ofSeconds(15);

  static final Duration LOAD = Duration.ofMillis(300);

  private final SharedCache<String, String> cache;
  private final Count count;

  /** Counts a load of a key where all processes and the test see it. */
  public interface Count {
    /** How many there were of it before. */
    int next(String key) throws Exception;
  }

  private CacheTestProcess(SharedCache<String, String> cache, Count count) {
    this.cache = cache;
    this.count = count;
  }

  /** Does what it is told on the standard input. */
  public static void run(Leases leases, CacheStore store, Count count) throws IOException {
    SharedCache<String, String> cache =
        SharedCache.<String, String>named("values")
            .values(Codec.text())
            .lease(LEASE)
            .storePatience(Duration.ofSeconds(20)) // a busy machine is no broken store
            .on(leases, store);
    cache.get("warm", key -> "up");
    CacheTestProcess process = new CacheTestProcess(cache, count);
    say("ready");
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String key = in.readLine(); key != null; key = in.readLine()) {
      process.read(key);
    }
  }

  private record Answer(String value, long nanos) {}

  private void read(String key) {
    List<Answer> answers =
        ConcurrentActors.run(
                READERS,
                index -> {
                  long begun = System.nanoTime();
                  String value = String.valueOf(cache.get(key, this::load));
                  return new Answer(value, System.nanoTime() - begun);
                })
            .resultsOrThrow();
    long longest = answers.stream().mapToLong(Answer::nanos).max().orElseThrow();
    List<String> values = answers.stream().map(Answer::value).distinct().toList();
    say(
        "done %s %d %d"
            .formatted(String.join("+", values), cache.stats().takeovers(), longest / 1_000_000));
  }

  private String load(String key) throws Exception {
    int before = count.next(key);
    say("loading");
    if (key.startsWith("stuck") && before == 0) {
      new CountDownLatch(1).await();
    }
    // the load itself takes its time
    Thread.sleep(LOAD.toMillis());
    return key + "-" + before;
  }

  private static synchronized void say(String words) {
    System.out.println(words);
    System.out.flush();
  }
}
