package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.guard.ConflictRate;
import dev.holdfast.guard.Rollup;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.Update;
import dev.holdfast.sql.GuardKind;
import dev.holdfast.sql.SqlError;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transactions;
import dev.holdfast.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the entrance does on every database. */
public abstract class HoldfastContract extends DatabaseContract {
  protected HoldfastContract(TestDatabase database) {
    super(database);
  }

  @Test
  void findsOutTheDatabase() {
    Holdfast holdfast = Holdfast.using(schema.dataSource());

    assertThat(holdfast.dialect().product()).startsWith(database().name() + " ");
    assertThat(holdfast).hasToString("Holdfast on " + holdfast.dialect().product());
  }

  @Test
  void countsTheConflictsOfItsTransactions() {
    schema.execute(
        "create table cart_items (id bigint primary key, quantity integer, version bigint)",
        "insert into cart_items values (7, 1, 5)");
    Holdfast holdfast = Holdfast.using(schema.dataSource());
    Update update = Update.table("cart_items").set("quantity", 3).where("id", 7).version(5);

    holdfast.transactions().run(tx -> update.applyOrThrow(tx));
    holdfast.transactions().run(tx -> update.apply(tx));

    assertThat(holdfast.conflictRates().of("update cart_items"))
        .contains(
            new ConflictRate(
                GuardKind.OPTIMISTIC_UPDATE, "update cart_items", 2, 1, 0, Duration.ofMinutes(5)));
    assertThat(holdfast.conflictRates().report()).contains("update cart_items");
  }

  @Test
  void countsRowLocksAndRollupsAndLocksThatWereNotGot() throws SQLException {
    schema.execute(
        "create table orders (id bigint primary key, items bigint)",
        "create table items (id bigint primary key, order_id bigint not null)",
        "create index items_of_order on items (order_id)",
        "insert into orders values (7, 0)",
        "insert into items values (1, 7)");
    Holdfast holdfast = Holdfast.using(schema.dataSource());
    Transactions impatient = holdfast.transactions().lockTimeout(Duration.ofMillis(100));
    RowLocks locks = RowLocks.of("orders", List.of(7));
    Rollup rollup = Rollup.parent("orders").children("items", "order_id").count("items");

    holdfast.transactions().run(tx -> locks.lock(tx));
    holdfast.transactions().run(tx -> rollup.apply(tx, 7));
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute("update orders set items = 5 where id = 7");
      }
      assertThatThrownBy(() -> impatient.run(tx -> locks.lock(tx)))
          .isInstanceOf(SqlFailedException.class);
      assertThatThrownBy(() -> impatient.run(tx -> rollup.apply(tx, 7)))
          .isInstanceOf(SqlFailedException.class);
      other.rollback();
    }

    Duration window = Duration.ofMinutes(5);
    assertThat(holdfast.conflictRates().all())
        .containsExactlyInAnyOrder(
            new ConflictRate(GuardKind.ROW_LOCKS, "lock orders", 2, 1, 0, window),
            new ConflictRate(GuardKind.ROLLUP, "roll up orders", 2, 1, 0, window));
  }

  @Test
  void takesNoConnectionForItself() {
    Holdfast holdfast = Holdfast.using(schema.dataSource(1));
    Holdfast.using(schema.dataSource(1));

    assertThat(holdfast.transactions().<Integer, RuntimeException>call(tx -> tx.attempt()))
        .isEqualTo(1);
  }

  @Test
  void refusesADataSourceThatIsClosed() {
    HikariDataSource closed = pool(schema.url());
    closed.close();

    assertThatThrownBy(() -> Holdfast.using(closed))
        .isInstanceOf(SqlFailedException.class)
        .hasMessageContainingAll("connecting to the database", "closed");
  }

  @Test
  void refusesADatabaseThatDoesNotAnswer() {
    // nobody listens on port 1
    String nowhere =
        schema.url().startsWith("jdbc:h2:")
            ? "jdbc:h2:tcp://127.0.0.1:1/nowhere"
            : schema.url().replaceFirst("//[^/]+/", "//127.0.0.1:1/");
    try (HikariDataSource unreachable = pool(nowhere)) {
      // a pool that is made when first needed fails with an exception of its own
      assertThatThrownBy(() -> Holdfast.using(unreachable))
          .isInstanceOfSatisfying(
              SqlFailedException.class,
              failure -> assertThat(failure.error()).isEqualTo(SqlError.CONNECTION_LOST))
          .hasMessageContaining("no connection to the database");
    }
  }

  private HikariDataSource pool(String url) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(url);
    pool.setUsername(schema.user());
    pool.setPassword(schema.password());
    return pool;
  }
}
