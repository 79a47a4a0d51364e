package dev.holdfast.testing;

import dev.holdfast.embedded.internal.PostgreSqlPrograms;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A PostgreSQL server of this JVM. */
final class PostgreSqlServer {

  /** As fast as it gets: a crash of the machine may lose everything. */
  static final Map<String, String> FAST =
      Map.of("fsync", "off", "synchronous_commit", "off", "full_page_writes", "off");

  /** As durable as a server in production, with room for some minutes between checkpoints. */
  static final Map<String, String> DURABLE =
      Map.of(
          "fsync", "on",
          "synchronous_commit", "on",
          "full_page_writes", "on",
          "shared_buffers", "128MB",
          "max_wal_size", "4GB",
          // as on any SSD: the default is for disks that turn
          "random_page_cost", "1.1");

  private PostgreSqlServer() {}

  static ServerAddress start(Map<String, String> settings) {
    return start(newFolder(), settings);
  }

  static ServerFolder newFolder() {
    return ServerFolder.create("postgresql", Map.of("LC_ALL", "C"));
  }

  static ServerAddress start(ServerFolder folder, Map<String, String> settings) {
    PostgreSqlPrograms programs = PostgreSqlPrograms.of(TestBinaries.binaries(), folder.path());
    folder.run(programs.initialize(folder.data(), List.of("--auth=trust", "--no-sync")));
    Map<String, String> all = new TreeMap<>(settings);
    all.put("max_connections", "300");
    int port =
        folder.serve(
            free -> programs.serve(folder.data(), free, all), "ready to accept connections");
    return new ServerAddress("jdbc:postgresql://127.0.0.1:" + port + "/postgres", "postgres", "");
  }
}
