package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A database that is known only through JDBC; here one that is known better. */
final class OtherEngineIT {

  @Test
  void worksWithUnknownDatabase() throws Exception {
    try (TestSchema schema = TestDatabase.h2().newSchema()) {
      schema.execute(
          "create table parent (id int primary key, v int)",
          "create table child (id int primary key, parent_id int references parent)",
          "insert into parent values (1, 1)",
          "insert into child values (1, 1)");
      var control = schema.unpooled().getConnection();
      try (Database other =
          new ConnectedDatabase(
              control, new OtherEngine(control), Connection.TRANSACTION_READ_COMMITTED)) {
        assertThat(other.product()).isEqualTo("H2");
        assertThat(other.reportsWaits()).isFalse();
        assertThat(other.whyNoWaits()).contains("PostgreSQL");
        assertThat(other.enter(control)).isNotEqualTo(other.enter(control));
        other.remember();
        assertThat(other.touched("update parent set v = 2", true)).isEqualTo(other.tables());
        assertThat(other.touched("select * from PARENT", true)).isEmpty();
        assertThat(other.touched("select * from PARENT", false)).isEqualTo(other.tables());
        schema.execute("update parent set v = 2", "delete from child");
        other.reset(Set.of("PARENT"));
        assertThat(schema.count("select v from parent")).isEqualTo(1);
        assertThat(schema.count("select count(*) from child")).isEqualTo(1);
        assertThat(other.isGenerated(1_100_000_000)).isFalse();
      }
    }
  }
}
