package dev.holdfast.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** Opens the migrator to other migrations than Holdfast's own, so that tests can have several. */
public final class TestMigrations {
  private TestMigrations() {}

  /**
   * Migrations that begin with Holdfast's ledger.
   *
   * @param further what comes after it, from file name to SQL, in order, the same on each database
   */
  public static Migrations on(DataSource dataSource, Map<String, String> further) {
    return Migrations.of(dataSource, null, family -> files(family, further));
  }

  /** The statements of these files, as they are run in a schema. */
  public static List<String> statements(Map<String, String> further, String schemaPrefix) {
    return further.entrySet().stream()
        .map(file -> MigrationFile.of(file.getKey(), file.getValue()))
        .flatMap(file -> file.statements(schemaPrefix).stream())
        .toList();
  }

  private static List<MigrationFile> files(String family, Map<String, String> further) {
    List<MigrationFile> files = new ArrayList<>();
    files.add(MigrationFiles.of(family).get(0));
    further.forEach((name, sql) -> files.add(MigrationFile.of(name, sql)));
    return files;
  }
}
