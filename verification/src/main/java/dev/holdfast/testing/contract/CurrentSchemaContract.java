package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.GuardException;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What guards know of a table holds for the schema that the connection is in, and no other. */
public abstract class CurrentSchemaContract extends DatabaseContract {
  private static final ConditionalUpdate TAKE =
      ConditionalUpdate.table("stock").where("id", 1).decrease("amount", new BigDecimal("0.6"));

  private TestSchema second;
  private Connection connection;

  @SuppressWarnings("NullAway.Init")
  protected CurrentSchemaContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createTwoTablesOfOneName() throws SQLException {
    second = database().newSchema();
    connection = schema.unpooled().getConnection();
    Sql.execute(
        connection, "create table stock (id bigint primary key, amount decimal(10, 2) not null)");
    Sql.execute(connection, "insert into stock values (1, 10)");
    if (isH2()) {
      Sql.execute(connection, "create schema other");
    }
    String other = isH2() ? "other" : second.name();
    Sql.execute(
        connection, "create table " + other + ".stock (id bigint, amount integer not null)");
    Sql.execute(connection, "insert into " + other + ".stock values (1, 10)");
    connection.setAutoCommit(false);
  }

  @AfterEach
  void close() throws SQLException {
    connection.rollback();
    connection.close();
    second.close();
  }

  private boolean isH2() {
    return database().name().equals("H2");
  }

  private Transaction inTheOther() throws SQLException {
    if (isH2()) {
      connection.setSchema("OTHER");
    } else {
      connection.setCatalog(second.name());
    }
    return Transaction.of(connection);
  }

  @Test
  void soOfTheDecimalPlacesOfAColumn() throws SQLException {
    assertThat(TAKE.apply(Transaction.of(connection)))
        .isEqualTo(new ConditionalUpdateResult.Applied());

    Transaction other = inTheOther();
    assertThatThrownBy(() -> TAKE.apply(other))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("decimal places");
  }

  @Test
  void soOfTheConstraintOfAKey() throws SQLException {
    CreateIfAbsent creation = CreateIfAbsent.table("stock").key("id", 1).set("amount", 1);
    assertThat(creation.apply(Transaction.of(connection)).created()).isFalse();

    Transaction other = inTheOther();
    assertThatThrownBy(() -> creation.apply(other)).isInstanceOf(GuardException.class);
  }

  @Test
  void soOfTheIndexOfAKey() throws SQLException {
    Assumptions.assumeFalse(isH2(), "which needs no index to lock in order");
    RowLocks locks = RowLocks.of("stock", List.of(1));
    locks.lock(Transaction.of(connection)).requireAll();

    Transaction other = inTheOther();
    assertThatThrownBy(() -> locks.lock(other))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("index");
  }
}
