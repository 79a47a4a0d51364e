package dev.holdfast.server;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.embedded.EmbeddedPostgreSql;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the data is: what all commands that use the database have in common. */
final class DatabaseOptions {
  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      description =
          "where the embedded PostgreSQL keeps its data (default: data beside ./holdfast)")
  @Nullable Path data;

  @Option(
      names = "--database-url",
      paramLabel = "JDBC-URL",
      description =
          "a database of your own instead, such as jdbc:postgresql://db/holdfast; several servers"
              + " on one database are a cluster")
  @Nullable String url;

  @Option(
      names = "--database-user",
      paramLabel = "NAME",
      description = "who to connect as to --database-url")
  @Nullable String user;

  @Option(
      names = "--database-password-file",
      paramLabel = "FILE",
      description =
          "a file with the password; or set HOLDFAST_DATABASE_PASSWORD, or database-password in the"
              + " file of --config")
  @Nullable Path passwordFile;

  @Option(
      names = "--schema",
      paramLabel = "NAME",
      description = "the schema of Holdfast's tables (default: the current one of the connection)")
  @Nullable String schema;

  @Option(
      names = "--cache",
      paramLabel = "FOLDER",
      description = "where the programs of PostgreSQL are unpacked (default: the user's cache)")
  @Nullable Path cache;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "a file with settings, in lines such as: port = 7411")
  @Nullable Path config;

  /** What else a command must be told to find the same database, with a space before each. */
  String again() {
    if (url != null) {
      return " --database-url … as here";
    }
    return data == null ? "" : " --data " + data;
  }

  Path data() {
    return data == null ? Path.of(System.getProperty("holdfast.home", ""), "data") : data;
  }

  Path cache() {
    return cache == null ? EmbeddedPostgreSql.defaultCache() : cache;
  }

  String password(Settings settings) {
    if (passwordFile == null) {
      return settings.get(Settings.PASSWORD).orElse("");
    }
    try {
      return Files.readString(passwordFile).strip();
    } catch (IOException e) {
      throw new InvalidArgumentException("cannot read --database-password-file: " + e, e);
    }
  }
}
