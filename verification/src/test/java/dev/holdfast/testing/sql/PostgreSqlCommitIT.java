package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transactions;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** A commit that PostgreSQL refuses has certainly not happened, and is reported so. */
class PostgreSqlCommitIT {
  private static void assertRefusedAtTheCommit(String insert, String because, String... tables) {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      schema.execute(tables);
      assertThatThrownBy(
              () ->
                  Transactions.on(schema.dataSource())
                      .run(
                          tx -> {
                            try (Statement statement = tx.connection().createStatement()) {
                              assertThat(statement.executeUpdate(insert)).isEqualTo(2);
                            }
                          }))
          .isInstanceOfSatisfying(
              DatabaseException.class, failure -> assertThat(failure.isRetryable()).isFalse())
          .hasMessageContaining("committing")
          .hasStackTraceContaining(because);
      assertThat(schema.count("select count(*) from bookings")).isZero();
    }
  }

  @Test
  void byATriggerThatRaisesAnError() {
    assertRefusedAtTheCommit(
        "insert into bookings values (1), (2)",
        "not on my watch",
        "create table bookings (id bigint primary key)",
        "create function meddle() returns trigger language plpgsql as"
            + " $$ begin raise exception 'not on my watch'; end $$",
        "create constraint trigger meddling after insert on bookings deferrable initially deferred"
            + " for each row execute function meddle()");
  }

  @Test
  void byATriggerThatDividesByZero() {
    assertRefusedAtTheCommit(
        "insert into bookings values (1), (2)",
        "division by zero",
        "create table bookings (id bigint primary key)",
        "create function meddle() returns trigger language plpgsql as"
            + " $$ begin perform 1 / 0; return null; end $$",
        "create constraint trigger meddling after insert on bookings deferrable initially deferred"
            + " for each row execute function meddle()");
  }

  @Test
  void byAnExclusionConstraint() {
    assertRefusedAtTheCommit(
        "insert into bookings values ('[1,5)'), ('[4,9)')",
        "exclusion constraint",
        "create table bookings (nights int4range,"
            + " exclude using gist (nights with &&) deferrable initially deferred)");
  }
}
