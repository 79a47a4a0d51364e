package dev.holdfast.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RememberedTest {
  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE);
  private final SchemaFactCache<String, Integer> facts = new SchemaFactCache<>(nanoTime::get);

  @Test
  void forgetsAfterAMinute() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
      connection.setAutoCommit(false);
      Transaction tx = Transaction.of(connection);
      facts.put(tx, "stock", 2);

      nanoTime.addAndGet(TimeUnit.MINUTES.toNanos(1));
      assertThat(facts.get(tx, "stock")).contains(2);
      nanoTime.incrementAndGet();
      assertThat(facts.get(tx, "stock")).isEmpty();
    }
  }

  @Test
  void knowsEachSchemaByItself() throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
      connection.setAutoCommit(false);
      Transaction tx = Transaction.of(connection);
      facts.put(tx, "stock", 2);
      connection.setSchema("INFORMATION_SCHEMA");

      assertThat(facts.get(tx, "stock")).isEmpty();
    }
  }
}
