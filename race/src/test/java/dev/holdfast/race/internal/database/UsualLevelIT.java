package dev.holdfast.race.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** The level at which the actors run unless somebody says otherwise. */
final class UsualLevelIT {

  @Test
  void reportsIsolationOfActorConnections() throws Exception {
    assertThat(levelOf(TestDatabase.mariaDb())).isEqualTo(Connection.TRANSACTION_REPEATABLE_READ);
    assertThat(levelOf(TestDatabase.postgreSql())).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
  }

  private static int levelOf(TestDatabase server) throws Exception {
    try (TestSchema schema = server.newSchema();
        Database database = Databases.open(schema.unpooled())) {
      return database.usualLevel();
    }
  }
}
