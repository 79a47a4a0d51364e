package dev.holdfast.testing.sql;

import java.util.LinkedHashMap;
import java.util.Map;

/** Migrations for tests: what comes after Holdfast's ledger, in portable SQL. */
final class MigrationSets {
  /** Ends with a statement that shows how often it was run. */
  static final Map<String, String> BASE =
      of(
          Map.of(),
          "0002_jobs.sql",
          """
          -- two tables, as an example
          CREATE TABLE IF NOT EXISTS ${schema}holdfast_job (
            id integer PRIMARY KEY,
            note varchar(50)
          );
          CREATE TABLE IF NOT EXISTS ${schema}holdfast_run (file varchar(50));
          """,
          "0003_run.sql",
          "INSERT INTO ${schema}holdfast_run (file) VALUES ('0003_run');\n");

  static final Map<String, String> LONGER =
      of(
          BASE,
          "0004_more.sql",
          "CREATE TABLE IF NOT EXISTS ${schema}holdfast_more (id integer PRIMARY KEY);\n");

  static final Map<String, String> CHANGED =
      of(
          BASE,
          "0002_jobs.sql",
          "CREATE TABLE IF NOT EXISTS ${schema}holdfast_job (id bigint PRIMARY KEY);\n");

  /** Fails at its second statement until there is a table {@code holdfast_cure}. */
  static final Map<String, String> FAILING =
      of(
          BASE,
          "0004_half.sql",
          """
          CREATE TABLE IF NOT EXISTS ${schema}holdfast_half (id integer PRIMARY KEY);
          INSERT INTO ${schema}holdfast_cure (id) VALUES (1);
          """);

  /** Needs a table for itself that others may be using. */
  static final Map<String, String> ALTERING =
      of(BASE, "0004_alter.sql", "ALTER TABLE ${schema}holdfast_job ADD COLUMN added integer;\n");

  private MigrationSets() {}

  private static Map<String, String> of(Map<String, String> before, String... namesAndTexts) {
    Map<String, String> files = new LinkedHashMap<>(before);
    for (int i = 0; i < namesAndTexts.length; i += 2) {
      files.put(namesAndTexts[i], namesAndTexts[i + 1]);
    }
    return files;
  }
}
