package dev.holdfast.testing.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.transaction.Transaction;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/**
 * An instance that sends orders, as a process of its own. Says {@code ready}; for each key that
 * comes in, has 16 threads order by it at once, and says {@code done}, how many orders took effect
 * here, and all the answers. The work of a key that begins with {@code stuck} says {@code at work}
 * and never ends, in the process that is told so.
 */
final class IdempotencyProcess {
  static final int THREADS = 16;

  private final Idempotency idempotency;
  private volatile boolean sticks;

  private IdempotencyProcess(Idempotency idempotency) {
    this.idempotency = idempotency;
  }

  public static void main(String[] arguments) throws Exception {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(arguments[0]);
      pool.setUsername(arguments[1]);
      pool.setPassword(arguments[2]);
      pool.setMaximumPoolSize(THREADS);
      pool.setConnectionTimeout(60_000);
      IdempotencyProcess process =
          new IdempotencyProcess(
              Holdfast.builder(pool)
                  .idempotency(
                      IdempotencyOptions.builder().waitTimeout(Duration.ofMinutes(1)).build())
                  .build()
                  .idempotency());
      say("ready");
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        process.sticks = line.startsWith("stick ");
        process.order(line.substring(line.indexOf(' ') + 1));
      }
    }
  }

  private void order(String name) {
    IdempotencyKey key = IdempotencyKey.of("POST /orders", name);
    List<IdempotencyResult<String>> told =
        ConcurrentActors.run(
                Duration.ofMinutes(2),
                THREADS,
                index ->
                    idempotency.<String, SQLException>execute(
                        IdempotencyRequest.of(key, Codec.text()).fingerprint(Fingerprint.of(name)),
                        tx -> insert(tx, name)))
            .resultsOrThrow();
    long executed = told.stream().filter(IdempotencyResult.Executed.class::isInstance).count();
    List<String> answers = told.stream().map(IdempotencyResult::orElseThrow).distinct().toList();
    say("done " + executed + " " + String.join("+", answers));
  }

  private String insert(Transaction tx, String name) throws SQLException {
    try (PreparedStatement insert =
        tx.connection().prepareStatement("insert into orders (item) values (?)")) {
      insert.setString(1, name);
      insert.executeUpdate();
    }
    if (sticks) {
      say("at work");
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
    return UUID.randomUUID().toString();
  }

  private static synchronized void say(String words) {
    System.out.println(words);
    System.out.flush();
  }
}
