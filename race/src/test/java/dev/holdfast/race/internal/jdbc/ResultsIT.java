package dev.holdfast.race.internal.jdbc;

import static dev.holdfast.race.internal.jdbc.Stage.BALANCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.jdbc.Stage.On;
import dev.holdfast.race.internal.model.StepResult;
import dev.holdfast.race.internal.model.StepResult.RowRead;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is recorded of what the code gets to see. */
class ResultsIT {

  @ParameterizedTest
  @EnumSource(On.class)
  void whatTheCodeReadsIsRecorded(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          PreparedStatement statement =
              connection.prepareStatement(
                  "select id, owner, balance as money from account where id < ? order by id")) {
        statement.setLong(1, 5);
        ResultSet rows = statement.executeQuery();
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(3)).isEqualTo(100);
        assertThat(rows.getObject("money")).isEqualTo(100);
        assertThat(rows.getString("owner")).isEqualTo("Ana");
        assertThat(rows.next()).isTrue();
        assertThat(rows.getString(2)).isNull();
        assertThat(rows.next()).isFalse();
      }
      StepResult result = stage.gate.results.get(0);
      assertThat(stage.gate.arrived.get(0).params()).containsExactly("5");
      assertThat(result.rowCount()).isEqualTo(2);
      assertThat(result.rows())
          .extracting(ResultsIT::text)
          .containsExactly("money=100 owner='Ana' ", "owner=NULL ");
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void rowsOfASplitQueryAreReadAfterItsCommit(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement()) {
        statement.setFetchSize(1);
        assertThat(statement.execute("select id from account order by id for update")).isTrue();
        ResultSet rows = statement.getResultSet();
        assertThat(rows.next()).isTrue();
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(2);
        assertThat(rows.getStatement()).isSameAs(statement);
        assertThat(statement.getFetchSize()).isEqualTo(1);
      }
      assertThat(stage.gate.results.get(0).learned()).isEqualTo("2 read [] [2]");
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void generatedKeysBelongToTheirInsert(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      String[] id = {"id"};
      try (Connection connection = stage.actor().getConnection();
          PreparedStatement statement =
              connection.prepareStatement("insert into entry(amount) values (?)", id)) {
        statement.setObject(1, 7);
        statement.executeUpdate();
        ResultSet keys = statement.getGeneratedKeys();
        assertThat(keys.next()).isTrue();
        assertThat(keys.getLong(1)).isEqualTo(1);
      }
      StepResult result = stage.gate.results.get(0);
      assertThat(result.updated()).isEqualTo(1);
      assertThat(result.rows()).extracting(RowRead::values).hasSize(1);
      assertThat(result.rows().get(0).values()).containsExactly("1");
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aMissingNumberIsNull(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      try (Connection connection = stage.actor().getConnection();
          Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery("select sum(balance) from account where id > 9")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isZero();
        assertThat(rows.wasNull()).isTrue();
      }
      assertThat(stage.gate.results.get(0).learned()).isEqualTo("1 read [NULL]");
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void everyObjectLeadsToGatedConnection(On on) throws SQLException {
    try (Stage stage = new Stage(on);
        Connection connection = stage.actor().getConnection();
        PreparedStatement statement = connection.prepareStatement(BALANCE);
        ResultSet rows = statement.executeQuery()) {
      assertThat(statement.getConnection()).isSameAs(connection).isEqualTo(connection);
      assertThat(rows.getStatement().getConnection()).isSameAs(connection);
      assertThat(connection.getMetaData().getConnection()).isSameAs(connection);
      assertThat(connection.unwrap(Connection.class)).isSameAs(connection);
      assertThat(connection.isWrapperFor(stage.gate.opened.get(0).getClass())).isFalse();
      assertThat(connection.hashCode()).isEqualTo(connection.hashCode());
    }
  }

  @Test
  void whatAFunctionGivesBackIsRecorded() throws SQLException {
    try (Stage stage = new Stage(On.POSTGRESQL);
        Connection connection = stage.actor().getConnection();
        CallableStatement statement = connection.prepareCall("{? = call abs(?)}")) {
      statement.registerOutParameter(1, Types.INTEGER);
      statement.setInt(2, -5);
      statement.execute();
      assertThat(statement.getInt(1)).isEqualTo(5);
      assertThat(stage.gate.arrived.get(0).params()).containsExactly("-5");
      assertThat(stage.gate.results.get(0).learned()).isEqualTo("1 read [5]");
    }
  }

  @ParameterizedTest
  @EnumSource(On.class)
  void aRowThatIsChangedWhereItWasReadIsAStep(On on) throws SQLException {
    try (Stage stage = new Stage(on)) {
      String query = "select id, balance from account where id = 1";
      try (Connection connection = stage.actor().getConnection();
          Statement statement =
              connection.createStatement(
                  ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE)) {
        connection.setAutoCommit(false);
        ResultSet rows = statement.executeQuery(query);
        assertThat(rows.absolute(1)).isTrue();
        rows.updateInt(2, 7);
        rows.updateRow();
        connection.commit();
      }
      assertThat(stage.gate.lines())
          .containsExactly(
              "1 STATEMENT " + query + " -> 1 read []",
              "1 STATEMENT update row of: " + query + " -> 1 rows",
              "1 COMMIT");
      assertThat(stage.balance()).isEqualTo(7);
    }
  }

  private static String text(RowRead row) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < row.labels().size(); i++) {
      String label = row.labels().get(i).toLowerCase(Locale.ROOT);
      text.append(label).append('=').append(row.values().get(i)).append(' ');
    }
    return text.toString();
  }
}
