package dev.holdfast.race.internal.jdbc;

import static dev.holdfast.race.internal.jdbc.Stage.ADD_TEN;
import static java.sql.Connection.TRANSACTION_READ_COMMITTED;
import static java.sql.Connection.TRANSACTION_SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.race.internal.jdbc.Stage.On;
import dev.holdfast.transaction.Isolation;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The isolation levels of an actor's connections, and what a pool gets back. */
class LevelsIT {

  @ParameterizedTest
  @EnumSource(On.class)
  void restoresIsolationForPool(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      int before;
      try (Connection connection = stage.pool.getConnection()) {
        before = connection.getTransactionIsolation();
      }
      try (Connection connection = stage.actor(Isolation.SERIALIZABLE, false).getConnection()) {
        assertThat(connection.getTransactionIsolation()).isEqualTo(TRANSACTION_SERIALIZABLE);
        connection.setTransactionIsolation(TRANSACTION_READ_COMMITTED);
        assertThat(connection.getTransactionIsolation()).isEqualTo(TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
      }
      assertThat(stage.nothingLeaks()).isTrue();
      try (Connection connection = stage.pool.getConnection()) {
        assertThat(connection.getTransactionIsolation()).isEqualTo(before);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aForcedLevelStays(On on) throws SQLException {
    try (Stage stage = new Stage(on);
        Connection connection = stage.actor(Isolation.SERIALIZABLE, true).getConnection()) {
      connection.setTransactionIsolation(TRANSACTION_READ_COMMITTED);
      assertThat(connection.getTransactionIsolation()).isEqualTo(TRANSACTION_SERIALIZABLE);
    }
  }

  @Test
  void aForcedLevelStaysInTextsToo() throws SQLException {
    try (Stage stage = new Stage(On.POSTGRESQL);
        Connection connection = stage.actor(Isolation.SERIALIZABLE, true).getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("BEGIN ISOLATION LEVEL READ COMMITTED, READ ONLY");
      assertThat(level(statement)).isEqualTo("serializable");
      assertThatThrownBy(() -> statement.execute(ADD_TEN)).hasMessageContaining("read-only");
      statement.execute("ROLLBACK");
      connection.setAutoCommit(false);
      statement.execute("set transaction isolation level repeatable read");
      assertThat(level(statement)).isEqualTo("serializable");
    }
  }

  @Test
  void unwrappingToTheDriverIsRefused() throws SQLException {
    try (Stage stage = new Stage(On.H2);
        Connection connection = stage.actor().getConnection()) {
      assertThatThrownBy(() -> connection.unwrap(stage.gate.opened.get(0).getClass()))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("under the race finder");
    }
  }

  private static String level(Statement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery("show transaction_isolation")) {
      rows.next();
      return rows.getString(1);
    }
  }
}
