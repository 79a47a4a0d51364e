package dev.holdfast.race.internal.jdbc;

import static dev.holdfast.race.internal.jdbc.Stage.ADD_TEN;
import static dev.holdfast.race.internal.jdbc.Stage.BALANCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.race.internal.jdbc.Stage.On;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.RunAborted;
import dev.holdfast.transaction.SqlError;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Connections that are lost, processes that die, runs that are cut, errors that are injected. */
class LossIT {

  @ParameterizedTest
  @EnumSource(On.class)
  void whatIsLostBeforeItsCommitIsNotThere(On on) throws SQLException {
    assertThat(balanceAfterLossAt(on, 2, Fate.LOSE_BEFORE)).isEqualTo(100);
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void whatIsLostAfterItsCommitIsThere(On on) throws SQLException {
    assertThat(balanceAfterLossAt(on, 2, Fate.LOSE_AFTER)).isEqualTo(110);
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void lostStatementIsNotCommitted(On on) throws SQLException {
    assertThat(balanceAfterLossAt(on, 1, Fate.LOSE_AFTER)).isEqualTo(100);
  }

  private static long balanceAfterLossAt(On on, int step, Fate fate) throws SQLException {
    try (Stage stage = new Stage(on)) {
      stage.gate.fate(step, fate);
      try (Connection other = stage.schema.unpooled().getConnection();
          Statement look = other.createStatement();
          Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        SQLException loss =
            catchThrowableOfType(
                SQLException.class,
                () -> {
                  statement.execute(ADD_TEN);
                  connection.commit();
                });
        // nothing of it is left: another one can have the row at once
        look.executeQuery(BALANCE + " for update nowait");
        assertThat(loss.getSQLState()).isEqualTo("08006");
        assertThat(SqlError.of(loss)).isEqualTo(SqlError.CONNECTION_LOST);

        assertThat(connection.isClosed()).isTrue();
        assertThat(connection.isValid(1)).isFalse();
        assertThat(statement.isClosed()).isTrue();
        assertThatThrownBy(() -> statement.execute(ADD_TEN))
            .hasFieldOrPropertyWithValue("SQLState", "08003");
        assertThatThrownBy(connection::rollback).hasFieldOrPropertyWithValue("SQLState", "08003");
      }
      assertThat(stage.gate.arrived).hasSize(step);
      assertThat(stage.gate.results.get(step - 1).error()).hasMessageContaining("lost");
      assertThat(stage.nothingLeaks()).isTrue();
      return stage.balance();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void autocommitCommitCanBeLost(On on) throws SQLException {
    for (Fate fate : new Fate[] {Fate.LOSE_BEFORE, Fate.LOSE_AFTER}) {
      try (Stage stage = new Stage(on)) {
        stage.gate.fate(2, fate);
        try (Connection connection = stage.actor().getConnection();
            Statement statement = connection.createStatement()) {
          assertThatThrownBy(() -> statement.executeUpdate(ADD_TEN))
              .hasFieldOrPropertyWithValue("SQLState", "08006");
        }
        assertThat(stage.balance()).isEqualTo(fate.after() ? 110 : 100);
        assertThat(stage.nothingLeaks()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aProcessThatDiesDoesNothingMore(On on) throws SQLException {
    for (Fate fate : new Fate[] {Fate.DIE_BEFORE, Fate.DIE_AFTER}) {
      try (Stage stage = new Stage(on)) {
        stage.gate.fate(2, fate);
        assertThat(catchThrowable(() -> addTenWithFallback(stage))).isInstanceOf(RunAborted.class);
        assertThat(stage.gate.arrived).hasSize(2);
        assertThat(stage.gate.results).hasSize(2);
        assertThat(stage.balance()).isEqualTo(fate.after() ? 110 : 100);
        assertThat(stage.nothingLeaks()).isTrue();
      }
    }
  }

  /** Code that holds on to its work as long as it can. */
  private static void addTenWithFallback(Stage stage) throws SQLException {
    try (Connection connection = stage.actor().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      try {
        statement.execute(ADD_TEN);
        connection.commit();
      } finally {
        statement.execute("delete from account");
        connection.commit();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aRunThatIsCutLeaksNothing(On on) throws SQLException {
    for (int step = 1; step <= 4; step++) {
      try (Stage stage = new Stage(on)) {
        stage.gate.cutAt(step);
        assertThat(catchThrowable(() -> twoTransactions(stage))).isInstanceOf(RunAborted.class);
        assertThat(stage.gate.closed).containsExactly(1);
        assertThat(stage.nothingLeaks()).isTrue();
        assertThat(stage.balance()).isEqualTo(step <= 2 ? 100 : 110);
      }
    }
  }

  private static void twoTransactions(Stage stage) throws SQLException {
    try (Connection connection = stage.actor().getConnection();
        PreparedStatement statement = connection.prepareStatement(ADD_TEN)) {
      statement.execute();
      connection.setAutoCommit(false);
      statement.execute();
      connection.commit();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void endedRunProvidesNoConnection(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      stage.refusesToEnter = true;
      assertThatThrownBy(() -> stage.actor().getConnection()).hasMessage("no rights");
      stage.refusesToEnter = false;
      stage.gate.cutAt(1);
      assertThat(catchThrowable(() -> twoTransactions(stage))).isInstanceOf(RunAborted.class);
      assertThat(catchThrowable(() -> stage.actor().getConnection()))
          .isInstanceOf(RunAborted.class);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void anInjectedErrorRollsTheTransactionBack(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      SQLException deadlock = new SQLException("deadlock", "40P01");
      stage.gate.inject(2, deadlock);
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.execute(ADD_TEN);
        assertThatThrownBy(() -> statement.execute(ADD_TEN)).isSameAs(deadlock);
        stage.schema.execute(ADD_TEN);
        if (on == On.POSTGRESQL) {
          assertThatThrownBy(() -> statement.executeQuery(BALANCE))
              .hasFieldOrPropertyWithValue("SQLState", "25P02");
          connection.rollback();
        }
        statement.execute(ADD_TEN);
        connection.commit();
      }
      assertThat(stage.gate.arrived)
          .extracting(step -> step.transaction() + " " + step.kind())
          .containsSubsequence("1 STATEMENT", "1 STATEMENT", "2 STATEMENT", "2 COMMIT");
      assertThat(stage.balance()).isEqualTo(120);
      assertThat(stage.nothingLeaks()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void injectsErrorIntoAutocommitStatement(On on) throws SQLException {
    for (int step = 1; step <= 2; step++) {
      try (Stage stage = new Stage(on)) {
        SQLException failure = new SQLException("serialization failure", "40001");
        stage.gate.inject(step, failure);
        try (Connection connection = stage.actor().getConnection();
            Statement statement = connection.createStatement()) {
          assertThatThrownBy(() -> statement.execute(ADD_TEN)).isSameAs(failure);
          assertThat(stage.balance()).isEqualTo(100);
          statement.execute(ADD_TEN);
          try (ResultSet rows = statement.executeQuery(BALANCE)) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(1)).isEqualTo(110);
          }
        }
        assertThat(stage.balance()).isEqualTo(110);
        assertThat(stage.nothingLeaks()).isTrue();
      }
    }
  }
}
