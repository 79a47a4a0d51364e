package dev.holdfast.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is known of the indexes of MariaDB is asked for again. */
class IndexLookupIT {
  @Test
  void forgetsAfterAMinute() throws SQLException {
    AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE);
    IndexLookup indexes = new IndexLookup(true, nanoTime::get);
    try (TestSchema schema = TestDatabase.mariaDb().newSchema();
        Connection connection = schema.unpooled().getConnection()) {
      schema.execute("create table seats (id bigint, key first_name (id))");
      String first = indexes.force(connection, "`seats`", "id");
      assertThat(first).contains("`first_name`");

      schema.execute("alter table seats rename index first_name to second_name");
      assertThat(indexes.force(connection, "`seats`", "id")).isEqualTo(first);
      nanoTime.addAndGet(TimeUnit.MINUTES.toNanos(1));
      assertThat(indexes.force(connection, "`seats`", "id")).contains("`second_name`");
    }
  }
}
