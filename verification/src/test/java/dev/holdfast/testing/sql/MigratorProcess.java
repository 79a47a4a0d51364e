package dev.holdfast.testing.sql;

import dev.holdfast.schema.TestMigrations;
import dev.holdfast.testing.InterceptingDataSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import javax.sql.DataSource;

/**
 * An instance that migrates, as a process of its own. Says {@code ready}, and begins when a line
 * comes in; with the argument {@code hold} it says {@code holding} inside the last migration, where
 * it has the lock, and goes on when another line comes in.
 */
final class MigratorProcess {
  private static final BufferedReader IN =
      new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

  private MigratorProcess() {}

  public static void main(String[] args) {
    DataSource dataSource = Login.to(args[0], args[1], args[2]);
    if (args[3].equals("hold")) {
      dataSource =
          InterceptingDataSource.of(
              dataSource,
              (connection, sql) -> {
                if (sql.contains("0003_run")) {
                  sayAndWait("holding");
                }
              });
    }
    sayAndWait("ready");
    System.out.println(TestMigrations.on(dataSource, MigrationSets.BASE).migrate());
  }

  private static void sayAndWait(String word) {
    System.out.println(word);
    try {
      if (IN.readLine() == null) {
        throw new IllegalStateException("nobody is there any more");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
