package dev.holdfast.race.internal.jdbc;

import static dev.holdfast.race.internal.jdbc.Stage.ADD_TEN;
import static dev.holdfast.race.internal.jdbc.Stage.BALANCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.race.internal.jdbc.Stage.On;
import dev.holdfast.race.internal.model.Step;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which steps code makes. */
class StepsIT {

  @ParameterizedTest
  @EnumSource(On.class)
  void autocommitIsItsOwnStep(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      stage.gate.before(2, () -> assertThat(stage.balance()).isEqualTo(100));
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        assertThat(statement.executeUpdate(ADD_TEN)).isEqualTo(1);
        assertThat(stage.balance()).isEqualTo(110);
        assertThat(connection.getAutoCommit()).isTrue();
      }
      assertThat(stage.gate.lines())
          .containsExactly("1 STATEMENT " + ADD_TEN + " -> 1 rows", "1 implicit COMMIT");
      assertThat(stage.gate.arrived)
          .allSatisfy(step -> assertThat(step.source()).startsWith("StepsIT.java:"));
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void failedAutocommitStatementLeavesNothing(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        assertThatThrownBy(
                () -> statement.execute("insert into account values (3, 'x', 1), (1, 'x', 1)"))
            .isInstanceOf(SQLException.class);
        statement.execute(ADD_TEN);
      }
      assertThat(stage.gate.arrived).extracting(Step::transaction).containsExactly(1, 2, 2);
      assertThat(stage.schema.count("select count(*) from account")).isEqualTo(2);
      assertThat(stage.balance()).isEqualTo(110);
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aPlainReadNeedsNoCommit(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        statement.executeQuery(BALANCE).close();
        statement.executeQuery(BALANCE + " for update").close();
      }
      assertThat(stage.gate.lines())
          .containsExactly(
              "1 STATEMENT " + BALANCE + " -> 0 read",
              "2 STATEMENT " + BALANCE + " for update -> 0 read",
              "2 implicit COMMIT");
      assertThat(stage.gate.arrived)
          .extracting(Step::plainRead)
          .containsExactly(true, false, false);
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aTransactionIsItsStatementsAndItsEnd(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        connection.commit();
        statement.execute(ADD_TEN);
        statement.execute(ADD_TEN);
        connection.commit();
        connection.rollback();
        statement.execute(ADD_TEN);
        connection.rollback();
        statement.execute(ADD_TEN);
        connection.setAutoCommit(false);
        connection.setAutoCommit(true);
        connection.setAutoCommit(false);
        statement.execute(ADD_TEN);
      }
      assertThat(stage.gate.lines())
          .containsExactly(
              "1 STATEMENT " + ADD_TEN + " -> 1 rows",
              "1 STATEMENT " + ADD_TEN + " -> 1 rows",
              "1 COMMIT",
              "2 STATEMENT " + ADD_TEN + " -> 1 rows",
              "2 ROLLBACK",
              "3 STATEMENT " + ADD_TEN + " -> 1 rows",
              "3 implicit COMMIT",
              "4 STATEMENT " + ADD_TEN + " -> 1 rows",
              "4 implicit ROLLBACK");
      assertThat(stage.balance()).isEqualTo(130);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aBatchIsOneStep(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      String insert = "insert into account values (?, ?, 0)";
      try (Connection connection = stage.actor().getConnection();
          PreparedStatement prepared = connection.prepareStatement(insert);
          Statement statement = connection.createStatement()) {
        prepared.setInt(1, 3);
        prepared.setString(2, "O'Hara");
        prepared.addBatch();
        prepared.setInt(1, 4);
        prepared.setNull(2, java.sql.Types.VARCHAR);
        prepared.addBatch();
        prepared.executeBatch();
        prepared.executeBatch();
        connection.setAutoCommit(false);
        statement.addBatch(ADD_TEN);
        statement.addBatch("delete from account where id > 2");
        assertThat(statement.executeBatch()).containsExactly(1, 2);
        connection.commit();
      }
      assertThat(stage.gate.lines())
          .containsExactly(
              "1 BATCH " + insert + " [3, 'O''Hara', 4, NULL] -> 2 rows [1, 1]",
              "1 implicit COMMIT",
              "2 BATCH " + ADD_TEN + "; delete from account where id > 2 -> 3 rows [1, 2]",
              "2 COMMIT");
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void rollbackToSavepointIsStep(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute(ADD_TEN);
        Savepoint named = connection.setSavepoint("before");
        statement.execute(ADD_TEN);
        connection.rollback(named);
        Savepoint unnamed = connection.setSavepoint();
        statement.execute("savepoint more");
        statement.execute(ADD_TEN);
        statement.execute("rollback to savepoint more");
        connection.rollback(unnamed);
        connection.commit();
      }
      assertThat(stage.gate.lines())
          .containsExactly(
              "1 STATEMENT " + ADD_TEN + " -> 1 rows",
              "1 STATEMENT " + ADD_TEN + " -> 1 rows",
              "1 ROLLBACK_TO ROLLBACK TO SAVEPOINT before",
              "1 STATEMENT " + ADD_TEN + " -> 1 rows",
              "1 ROLLBACK_TO rollback to savepoint more -> 0 rows",
              "1 ROLLBACK_TO ROLLBACK TO SAVEPOINT",
              "1 COMMIT");
      assertThat(stage.balance()).isEqualTo(110);
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aTransactionCanBeBegunAndEndedByText(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      String begin = on == On.H2 ? "BEGIN" : "start transaction";
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(begin);
        statement.execute(ADD_TEN);
        statement.execute(ADD_TEN);
        assertThat(stage.balance()).isEqualTo(100);
        statement.execute("Commit");
        assertThat(stage.balance()).isEqualTo(120);
        statement.execute(begin);
        statement.execute(ADD_TEN);
        statement.execute("rollback");
        statement.execute(ADD_TEN);
        statement.execute(begin);
        statement.execute(ADD_TEN);
      }
      assertThat(stage.gate.arrived)
          .extracting(step -> step.transaction() + " " + step.kind())
          .containsExactly(
              "1 STATEMENT",
              "1 STATEMENT",
              "1 COMMIT",
              "2 STATEMENT",
              "2 ROLLBACK",
              "3 STATEMENT",
              "3 COMMIT",
              "4 STATEMENT",
              "4 ROLLBACK");
      assertThat(stage.balance()).isEqualTo(130);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void settingsAndNumbersOfSequencesAreNoSteps(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.executeQuery(
            on == On.POSTGRESQL ? "select nextval('numbers')" : "select next value for numbers");
        statement.execute(
            switch (on) {
              case H2 -> "set lock_timeout 1000";
              case POSTGRESQL -> "set lock_timeout = 1000";
              case MARIADB -> "set lock_wait_timeout = 1";
            });
        connection.getMetaData().getTables(null, null, "account", null).close();
        assertThat(connection.isValid(5)).isTrue();
        connection.commit();
      }
      assertThat(stage.gate.arrived).isEmpty();
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void countsConnectionsPerActor(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      for (int i = 0; i < 2; i++) {
        try (Connection connection = stage.actor().getConnection();
            Statement statement = connection.createStatement()) {
          statement.execute(ADD_TEN);
        }
      }
      assertThat(stage.gate.arrived)
          .extracting(step -> step.connection() + "/" + step.transaction())
          .containsExactly("1/1", "1/1", "2/2", "2/2");
      assertThat(stage.gate.closed).containsExactly(1, 2);
    }
  }
}
