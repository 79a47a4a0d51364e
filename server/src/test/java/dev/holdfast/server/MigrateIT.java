package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.schema.Migrations;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The SQL of an upgrade, for an administrator to run. */
@Timeout(180)
class MigrateIT {
  private static final String NEXT_STEP = "-- 0006_";

  @Test
  void printsOnlyWhatTheDatabaseHasNotHadYet() throws Exception {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema()) {
      String all = Migrations.script(Migrations.Database.POSTGRESQL, null);
      schema.execute(all.substring(0, all.indexOf(NEXT_STEP)));
      assertThat(Holdfast.create(schema.dataSource()).migrations().status().version()).isEqualTo(5);

      String upgrade = pending(schema);
      assertThat(upgrade).contains("versions 6 to ", NEXT_STEP).doesNotContain("-- 0005_");
      schema.execute(upgrade);
      Holdfast.create(schema.dataSource()).migrations().validate();

      assertThat(pending(schema)).startsWith("-- nothing to do: the tables are at version ");
    }
  }

  private static String pending(TestSchema schema) throws IOException {
    try (ServerProcess process =
        ServerProcess.start(
            Map.of("HOLDFAST_DATABASE_PASSWORD", schema.password()),
            "migrate",
            "--print",
            "--pending",
            "--database-url=" + schema.url(),
            "--database-user=" + schema.user())) {
      return process.allOutput();
    }
  }
}
