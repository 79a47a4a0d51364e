package dev.holdfast.testing.cache;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.cache.CacheStore;
import dev.holdfast.cache.SharedCache;
import dev.holdfast.cache.json.JsonValues;
import dev.holdfast.testing.Actors;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;

/**
 * An instance with a shared cache, as a process of its own. Says {@code ready}; for each key that
 * comes in, has 25 readers ask for it at once and says {@code loading} when its loader runs, which
 * for a key that begins with {@code stuck} never comes back the first time; then {@code done}, the
 * value, its takeovers, and how long the longest wait was, in milliseconds. Ends when its input
 * ends.
 */
final class CacheProcess {
  static final int READERS = 25;
  static final Duration LEASE = Duration.ofSeconds(3);
  static final Duration LOAD = Duration.ofMillis(300);

  private CacheProcess() {}

  public static void main(String[] args) throws IOException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(8);
    try (HikariDataSource dataSource = new HikariDataSource(config)) {
      SharedCache<String, String> cache =
          SharedCache.<String, String>named("values")
              .values(JsonValues.of(String.class))
              .lease(LEASE)
              .storePatience(Duration.ofSeconds(20)) // a busy machine is no broken store
              .on(Holdfast.using(dataSource).leases(), CacheStore.using(dataSource));
      cache.get("warm", key -> "up");
      say("ready");
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String key = in.readLine(); key != null; key = in.readLine()) {
        read(cache, dataSource, key);
      }
    }
  }

  private record Answer(String value, long nanos) {}

  private static void read(SharedCache<String, String> cache, DataSource dataSource, String key) {
    List<Answer> answers =
        Actors.run(
                READERS,
                index -> {
                  long begun = System.nanoTime();
                  String value = String.valueOf(cache.get(key, each -> load(dataSource, each)));
                  return new Answer(value, System.nanoTime() - begun);
                })
            .resultsOrThrow();
    long longest = answers.stream().mapToLong(Answer::nanos).max().orElseThrow();
    List<String> values = answers.stream().map(Answer::value).distinct().toList();
    say(
        "done %s %d %d"
            .formatted(String.join("+", values), cache.stats().takeovers(), longest / 1_000_000));
  }

  private static String load(DataSource dataSource, String key)
      throws SQLException, InterruptedException {
    int before;
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("insert into loads (name) values (?)");
        PreparedStatement count =
            connection.prepareStatement("select count(*) from loads where name = ?")) {
      insert.setString(1, key);
      insert.executeUpdate();
      count.setString(1, key);
      try (var row = count.executeQuery()) {
        row.next();
        before = row.getInt(1) - 1;
      }
    }
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
