package dev.holdfast.race.internal.jdbc;

import static dev.holdfast.race.internal.jdbc.Stage.ADD_TEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.race.internal.jdbc.Stage.On;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.RunAborted;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Texts that do something to transactions, in ways that drivers know little of. */
class TextsIT {

  @Test
  void severalStatementsInOneTextAreOneStep() throws SQLException {
    try (Stage stage = new Stage(On.POSTGRESQL)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("begin; " + ADD_TEN + "; commit");
        statement.execute(ADD_TEN + "; " + ADD_TEN);
        statement.execute("begin; " + ADD_TEN);
        statement.execute(ADD_TEN);
        statement.execute("commit");
      }
      assertThat(made(stage))
          .containsExactly(
              "1 STATEMENT", "2 STATEMENT", "2 COMMIT", "3 STATEMENT", "3 STATEMENT", "3 COMMIT");
      assertThat(stage.balance()).isEqualTo(150);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"H2", "MARIADB"})
  void autocommitCanBeSwitchedByText(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute(on == On.H2 ? "set autocommit off" : "set autocommit = 0");
        assertThat(connection.getAutoCommit()).isFalse();
        statement.execute(ADD_TEN);
        connection.rollback();
        statement.execute(ADD_TEN);
      }
      assertThat(made(stage))
          .containsExactly("1 STATEMENT", "1 ROLLBACK", "2 STATEMENT", "2 ROLLBACK");
      assertThat(stage.balance()).isEqualTo(100);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @Test
  void whatCommitsByItselfNeedsNoCommit() throws SQLException {
    try (Stage stage = new Stage(On.MARIADB)) {
      stage.gate.before(3, () -> assertThat(stage.balance()).isEqualTo(110));
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute(ADD_TEN);
        statement.execute("create table other(id int)");
        connection.commit();
        connection.setAutoCommit(true);
        statement.execute("drop table other");
        statement.execute("lock tables account write");
        statement.execute(ADD_TEN);
        statement.execute("unlock tables");
      }
      assertThat(made(stage))
          .containsExactly(
              "1 STATEMENT",
              "1 STATEMENT",
              "1 COMMIT",
              "2 STATEMENT",
              "2 COMMIT",
              "3 STATEMENT",
              "4 STATEMENT",
              "4 COMMIT",
              "5 STATEMENT");
      assertThat(stage.balance()).isEqualTo(120);
    }
  }

  @Test
  void doesNotSplitNonTransactionalStatement() throws SQLException {
    try (Stage stage = new Stage(On.POSTGRESQL);
        Connection connection = stage.actor().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("vacuum account");
      statement.execute("create index concurrently owners on account(owner)");
      assertThat(made(stage)).containsExactly("1 STATEMENT", "2 STATEMENT");
    }
  }

  @Test
  void injectedErrorRollsBackTextTransaction() throws SQLException {
    try (Stage stage = new Stage(On.POSTGRESQL)) {
      stage.gate.inject(2, new SQLException("serialization failure", "40001"));
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("begin");
        statement.execute(ADD_TEN);
        assertThatThrownBy(() -> statement.execute(ADD_TEN)).hasMessageContaining("serialization");
        stage.schema.execute(ADD_TEN);
        assertThatThrownBy(() -> statement.execute("set lock_timeout = 5"))
            .hasFieldOrPropertyWithValue("SQLState", "25P02");
        statement.execute("rollback");
        statement.execute(ADD_TEN);
      }
      assertThat(made(stage))
          .containsExactly("1 STATEMENT", "1 STATEMENT", "1 ROLLBACK", "2 STATEMENT", "2 COMMIT");
      assertThat(stage.balance()).isEqualTo(120);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @Test
  void rejectsCommitAfterInjectedError() throws SQLException {
    try (Stage stage = new Stage(On.POSTGRESQL)) {
      stage.gate.inject(1, new SQLException("serialization failure", "40001"));
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> statement.execute(ADD_TEN)).hasMessageContaining("serialization");
        assertThatThrownBy(connection::commit).hasFieldOrPropertyWithValue("SQLState", "25P02");
        statement.execute(ADD_TEN);
        connection.commit();
      }
      assertThat(stage.balance()).isEqualTo(110);
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void textTransactionDiesWithProcess(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      stage.gate.fate(2, Fate.DIE_BEFORE);
      Throwable end =
          catchThrowable(
              () -> {
                try (Connection connection = stage.actor().getConnection();
                    Statement statement = connection.createStatement()) {
                  statement.execute(on == On.H2 ? "begin" : "start transaction");
                  statement.execute(ADD_TEN);
                  statement.execute("commit");
                }
              });
      assertThat(end).isInstanceOf(RunAborted.class);
      stage.schema.execute(ADD_TEN);
      assertThat(stage.balance()).isEqualTo(110);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  private static List<String> made(Stage stage) {
    return stage.gate.arrived.stream().map(step -> step.transaction() + " " + step.kind()).toList();
  }
}
