package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What every {@link TestDatabase} promises. */
abstract class TestDatabaseContract {

  abstract TestDatabase database();

  /** Whether the server still has the schema. */
  abstract boolean exists(TestSchema dropped) throws SQLException;

  @Test
  void theServerIsTheOneItsNameSays() throws SQLException {
    try (TestSchema schema = database().newSchema();
        Connection connection = schema.unpooled().getConnection()) {
      assertThat(connection.getMetaData().getDatabaseProductName()).isEqualTo(database().name());
    }
  }

  @Test
  void schemasDoNotSeeEachOther() {
    try (TestSchema one = database().newSchema();
        TestSchema other = database().newSchema()) {
      one.execute("create table orders (id bigint primary key)", "insert into orders values (1)");
      other.execute("create table orders (id bigint primary key)");

      assertThat(one.count("select count(*) from orders")).isEqualTo(1);
      assertThat(other.count("select count(*) from orders")).isZero();
    }
  }

  @Test
  void closeDropsSchema() throws SQLException {
    TestSchema schema = database().newSchema();
    schema.execute("create table orders (id bigint primary key)");
    schema.close();

    assertThat(exists(schema)).isFalse();
  }

  @Test
  void createsPoolOnceAndClosesIt() throws SQLException {
    TestSchema schema = database().newSchema();
    DataSource pool = schema.dataSource();
    assertThat(schema.dataSource()).isSameAs(pool);
    try (Connection connection = pool.getConnection()) {
      assertThat(connection.getAutoCommit()).isTrue();
    }
    schema.close();

    assertThatThrownBy(pool::getConnection).isInstanceOf(SQLException.class);
  }

  @Test
  void thePoolHoldsThirtyTwoConnectionsAtOnce() {
    try (TestSchema schema = database().newSchema()) {
      schema.execute("create table hits (actor int primary key)");
      ConcurrentActors.run(
              32,
              index -> {
                try (Connection connection = schema.dataSource().getConnection();
                    Statement statement = connection.createStatement()) {
                  return statement.executeUpdate("insert into hits values (" + index + ")");
                }
              })
          .resultsOrThrow();

      assertThat(schema.count("select count(*) from hits")).isEqualTo(32);
    }
  }

  @Test
  void anUnpooledConnectionIsASessionOfItsOwn() throws SQLException {
    try (TestSchema schema = database().newSchema()) {
      schema.execute("create table orders (id bigint primary key)");
      try (Connection connection = schema.unpooled().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        statement.executeUpdate("insert into orders values (1)");

        assertThat(schema.count("select count(*) from orders")).isZero();
        connection.commit();
        assertThat(schema.count("select count(*) from orders")).isEqualTo(1);
      }
    }
  }

  @Test
  void rowsAreReadByTheirLabelsInLowerCase() {
    try (TestSchema schema = database().newSchema()) {
      schema.execute(
          "create table orders (id int, Note varchar(20))", "insert into orders values (7, null)");

      var rows = schema.query("select id, note from orders");

      assertThat(rows).hasSize(1);
      assertThat(rows.get(0)).containsEntry("id", 7).containsEntry("note", null);
    }
  }

  @Test
  void aStatementThatFailsIsNamed() {
    try (TestSchema schema = database().newSchema()) {
      assertThatThrownBy(() -> schema.execute("delete from nothing"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("delete from nothing")
          .hasCauseInstanceOf(SQLException.class);
    }
  }

  @Test
  void aCountThatIsNoNumberIsRefused() {
    try (TestSchema schema = database().newSchema()) {
      assertThatThrownBy(() -> schema.count("select 'ten'"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("one number");
    }
  }
}
