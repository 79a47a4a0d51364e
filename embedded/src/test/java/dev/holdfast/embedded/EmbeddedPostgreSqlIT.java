package dev.holdfast.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class EmbeddedPostgreSqlIT {
  private static final Path CACHE =
      Path.of(System.getProperty("java.io.tmpdir"), "holdfast-embedded-it");

  private final List<String> progress = new CopyOnWriteArrayList<>();
  private final Path folder;

  EmbeddedPostgreSqlIT(@TempDir Path temporary) throws IOException {
    Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
    this.folder = temporary.resolve("data");
  }

  @Test
  void whatIsCommittedIsThereAgain() throws SQLException {
    try (EmbeddedPostgreSql server = start()) {
      execute(server, "create table kept (id integer)");
      execute(server, "insert into kept values (42)");
    }
    assertThat(progress).anyMatch(line -> line.startsWith("making a database in " + folder));
    progress.clear();

    try (EmbeddedPostgreSql server = start()) {
      assertThat(ask(server.address(), "select id from kept")).isEqualTo("42");
    }
    assertThat(progress).isEmpty();
  }

  @Test
  void itIsDurableAndSmall() throws SQLException {
    try (EmbeddedPostgreSql server = start()) {
      EmbeddedAddress address = server.address();
      assertThat(ask(address, "show fsync")).isEqualTo("on");
      assertThat(ask(address, "show synchronous_commit")).isEqualTo("on");
      assertThat(ask(address, "show full_page_writes")).isEqualTo("on");
      assertThat(ask(address, "show shared_buffers")).isEqualTo("64MB");
      assertThat(ask(address, "show listen_addresses")).isEqualTo("127.0.0.1");
    }
  }

  @Test
  void onlyTheOwnerOfTheFolderKnowsThePassword() throws IOException {
    try (EmbeddedPostgreSql server = start()) {
      EmbeddedAddress address = server.address();
      for (String file : List.of("password", "postgresql.log", "lock")) {
        assertThat(
                PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve(file))))
            .as(file)
            .isEqualTo("rw-------");
      }
      assertThat(address.password()).hasSize(43);
      assertThat(address.toString()).doesNotContain(address.password());
      assertThatThrownBy(
              () -> DriverManager.getConnection(address.url(), address.user(), "wrong").close())
          .hasMessageContaining("password authentication failed");
    }
  }

  @Test
  void whatAKilledServerLeftRunningIsStoppedFirst() throws Exception {
    EmbeddedAddress orphan;
    try (FolderLock lock = orphan()) {
      assertThat(lock).isNotNull();
      orphan = EmbeddedPostgreSql.running(folder).orElseThrow();
      assertThat(ask(orphan, "select 1")).isEqualTo("1");
    }

    try (EmbeddedPostgreSql server = start()) {
      assertThat(ask(server.address(), "select id from kept")).isEqualTo("42");
      assertThatThrownBy(() -> ask(orphan, "select 1")).isInstanceOf(SQLException.class);
    }
  }

  @Test
  void aServerThatWasKilledRecovers() throws Exception {
    try (EmbeddedPostgreSql server = start()) {
      execute(server, "create table kept (id integer)");
      execute(server, "insert into kept values (42)");
      kill();
    }

    try (EmbeddedPostgreSql server = start()) {
      assertThat(ask(server.address(), "select id from kept")).isEqualTo("42");
    }
  }

  @Test
  void aSupervisedServerThatWasKilledIsStartedAgainOnItsPort() throws Exception {
    try (EmbeddedPostgreSql server = start()) {
      server.supervise(Duration.ofMinutes(1), progress::add, () -> progress.add("gave up"));
      execute(server, "create table kept (id integer)");
      execute(server, "insert into kept values (42)");
      for (int time = 0; time < 2; time++) {
        kill();
        awaitAnswer(server.address());
        assertThat(ask(server.address(), "select id from kept")).isEqualTo("42");
        while (server.deadFor().isPresent()) {
          Thread.sleep(20); // the database answers a moment before that is known
        }
      }
    }
    assertThat(EmbeddedPostgreSql.running(folder)).isEmpty();
    assertThat(progress).doesNotContain("gave up");
  }

  /** The limit is that of the test. */
  private void awaitAnswer(EmbeddedAddress address) throws InterruptedException {
    while (true) {
      assertThat(progress).doesNotContain("gave up");
      try {
        ask(address, "select 1");
        return;
      } catch (SQLException notYet) {
        Thread.sleep(50);
      }
    }
  }

  private void kill() throws Exception {
    long process =
        Long.parseLong(Files.readAllLines(folder.resolve("postgresql/postmaster.pid")).get(0));
    ProcessHandle postgres = ProcessHandle.of(process).orElseThrow();
    postgres.destroyForcibly();
    postgres.onExit().get();
  }

  @Test
  void theNumberOfADeadServerMayBelongToAnotherProgram() throws Exception {
    start().close();
    Process another = new ProcessBuilder("sleep", "120").start();
    try {
      Files.writeString(
          folder.resolve("postgresql/postmaster.pid"),
          another.pid() + "\n" + folder.resolve("postgresql") + "\n0\n1\n\n\n\n");

      try (EmbeddedPostgreSql server = start()) {
        assertThat(ask(server.address(), "select 1")).isEqualTo("1");
      }
      assertThat(another.isAlive()).isTrue();
    } finally {
      another.destroyForcibly();
    }
  }

  @Test
  void aFolderIsUsedByOneProcessAtATime() {
    try (EmbeddedPostgreSql server = start()) {
      assertThatThrownBy(this::start)
          .isInstanceOf(EmbeddedException.class)
          .hasMessageContainingAll(
              folder.toString(), "by the process " + ProcessHandle.current().pid());
      assertThat(EmbeddedPostgreSql.running(folder)).contains(server.address());
    }
    assertThat(EmbeddedPostgreSql.running(folder)).isEmpty();
  }

  @Test
  void theFolderOfSomebodyElseIsRefused() throws IOException {
    Files.createDirectory(folder);
    Files.writeString(folder.resolve("thesis.txt"), "my life");

    assertThatThrownBy(this::start)
        .isInstanceOf(EmbeddedException.class)
        .hasMessageContaining("must be empty or made by Holdfast");
    assertThat(folder.resolve("lock")).doesNotExist();
  }

  @Test
  void dataOfAnotherMajorVersionIsRefused() throws IOException {
    start().close();
    Files.writeString(folder.resolve("postgresql/PG_VERSION"), "17\n");

    assertThatThrownBy(this::start)
        .isInstanceOf(EmbeddedException.class)
        .hasMessageContainingAll("must be of PostgreSQL 18", "is of PostgreSQL 17");
  }

  @Test
  void aStartThatWasKilledInTheMiddleIsMadeAnew() throws Exception {
    start().close();
    Files.move(folder.resolve("postgresql"), folder.resolve("postgresql.unfinished"));

    try (EmbeddedPostgreSql server = start()) {
      assertThat(ask(server.address(), "select 1")).isEqualTo("1");
    }
  }

  private EmbeddedPostgreSql start() {
    return EmbeddedPostgreSql.start(folder, CACHE, progress::add);
  }

  /** A server whose starter has let go of the folder without stopping it. */
  private FolderLock orphan() throws Exception {
    EmbeddedPostgreSql server = start();
    execute(server, "create table kept (id integer)");
    execute(server, "insert into kept values (42)");
    return server.abandon();
  }

  private static void execute(EmbeddedPostgreSql server, String sql) throws SQLException {
    try (Connection connection = connect(server.address());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String ask(EmbeddedAddress address, String sql) throws SQLException {
    try (Connection connection = connect(address);
        Statement statement = connection.createStatement();
        ResultSet answer = statement.executeQuery(sql)) {
      answer.next();
      return answer.getString(1);
    }
  }

  private static Connection connect(EmbeddedAddress address) throws SQLException {
    return DriverManager.getConnection(address.url(), address.user(), address.password());
  }
}
