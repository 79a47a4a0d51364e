package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Update;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Points move between customers who seldom meet: no locks, and a conflict is tried again. */
class OptimisticTransferExampleIT extends Shop {
  @BeforeEach
  void openAccounts() {
    schema.execute(
        "create table accounts (id bigint primary key, points bigint not null, version bigint not"
            + " null)",
        "insert into accounts select n, 1000, 0 from generate_series(1, 8) n");
  }

  private void transfer(long from, long to, long points) throws SQLException {
    if (points <= 0 || from == to) {
      throw new IllegalArgumentException("a positive number between two accounts, please");
    }
    transactions
        .retrying(5)
        .named("transfer points")
        .run(
            tx -> {
              // always the smaller id first: two updates in two orders would deadlock
              add(tx, Math.min(from, to), from < to ? -points : points);
              add(tx, Math.max(from, to), from < to ? points : -points);
            });
  }

  private static void add(Transaction tx, long account, long points) throws SQLException {
    Row row = read(tx, account);
    if (row.number("points") + points < 0) {
      throw new IllegalStateException("account " + account + " has too little");
    }
    Update.table("accounts")
        .set("points", row.number("points") + points)
        .where("id", account)
        .version(row.number("version"))
        .applyOrThrow(tx);
  }

  private static Row read(Transaction tx, long account) throws SQLException {
    try (PreparedStatement select =
        tx.connection().prepareStatement("select * from accounts where id = ?")) {
      select.setLong(1, account);
      try (ResultSet found = select.executeQuery()) {
        return Row.allOf(found).get(0);
      }
    }
  }

  @Test
  void nothingIsLostBetweenThem() {
    ConcurrentActors.run(
            4,
            actor -> {
              transfer(2L * actor + 1, 2L * actor + 2, 10);
              transfer(2L * actor + 2, 2L * actor + 1, 30);
              return actor;
            })
        .resultsOrThrow();

    assertThat(schema.count("select sum(points) from accounts")).isEqualTo(8000);
    assertThat(schema.count("select count(*) from accounts where version = 2")).isEqualTo(8);
    assertThat(schema.count("select points from accounts where id = 1")).isEqualTo(1020);
  }

  @Test
  void aConflictIsTriedAgain() {
    ConcurrentActors.run(
            2,
            actor -> {
              transfer(1 + actor, 2 - actor, 10);
              return actor;
            })
        .resultsOrThrow();

    assertThat(schema.count("select points from accounts where id = 1")).isEqualTo(1000);
    assertThat(schema.count("select version from accounts where id = 1")).isEqualTo(2);
  }
}
