package dev.holdfast.testing.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** H2 is H2 in whatever mode it imitates another, and its names are read as it reads them. */
class H2ModesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ";MODE=PostgreSQL",
        ";MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE;DEFAULT_NULL_ORDERING=HIGH",
        ";MODE=MySQL",
        ";MODE=MySQL;DATABASE_TO_LOWER=TRUE",
        ";MODE=MySQL;DATABASE_TO_UPPER=FALSE;CASE_INSENSITIVE_IDENTIFIERS=TRUE",
        ";MODE=MariaDB",
        ";MODE=MariaDB;DATABASE_TO_LOWER=TRUE",
        ";MODE=Oracle",
        ";MODE=STRICT",
        ";DATABASE_TO_UPPER=FALSE",
        ";DATABASE_TO_LOWER=TRUE",
        ";CASE_INSENSITIVE_IDENTIFIERS=TRUE"
      })
  void aGuardFindsItsTable(String settings) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:" + settings)) {
      assertThat(Dialect.of(connection).product()).startsWith("H2 2.");
      assertUpdates(connection);
    }
  }

  @Test
  void reusedMemoryNameIsNewDatabase() throws SQLException {
    for (String settings :
        new String[] {";DATABASE_TO_UPPER=FALSE", "", ";DATABASE_TO_LOWER=TRUE"}) {
      try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:same" + settings)) {
        assertUpdates(connection);
      }
    }
  }

  private static void assertUpdates(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "create table Cart_Items (Id bigint primary key, Quantity integer, Version bigint)");
      statement.execute("insert into Cart_Items values (7, 1, 5)");
    }
    connection.setAutoCommit(false);
    Transaction tx = Transaction.of(connection);
    Update update = Update.table("Cart_Items").set("Quantity", 3).where("Id", 7);
    assertThat(update.version("Version", 5).apply(tx)).isEqualTo(new UpdateResult.Applied(6));
    assertThat(update.version("Version", 5).apply(tx)).isInstanceOf(UpdateResult.Conflict.class);
    connection.commit();
  }
}
