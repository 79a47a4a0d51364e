package dev.holdfast.testing.cache;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sql.Migrations;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The shared cache in several processes, of which one is killed. */
class CacheClusterIT {
  private static final int PROCESSES = 4;

  /** For starting threads and connections on a busy machine. */
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** What a process says, and which one. */
  private record Said(Forked process, String words) {}

  private static final class Forked implements AutoCloseable {
    private final Process process;
    private final Writer in;
    private final Path errors;

    Forked(TestSchema schema, BlockingQueue<Said> said) throws IOException {
      errors = Files.createTempFile("holdfast-cache-", ".log");
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  CacheProcess.class.getName(),
                  schema.url(),
                  schema.user(),
                  schema.password())
              .redirectError(errors.toFile())
              .start();
      in = process.outputWriter(UTF_8);
      Thread reader = new Thread(() -> listen(said));
      reader.setDaemon(true);
      reader.start();
    }

    private void listen(BlockingQueue<Said> said) {
      try (BufferedReader out = process.inputReader(UTF_8)) {
        for (String line = out.readLine(); line != null; line = out.readLine()) {
          said.add(new Said(this, line));
        }
      } catch (IOException e) {
        // killed in the middle of a word, or of none
        assertThat(process.isAlive()).isFalse();
      }
    }

    void ask(String key) throws IOException {
      in.write(key + "\n");
      in.flush();
    }

    /** As {@code kill -9}: the process has no chance to say anything to anybody. */
    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
    }

    @Override
    public void close() throws IOException {
      process.destroyForcibly();
      Files.deleteIfExists(errors);
    }
  }

  /** One process that has ended its reading. */
  private record Done(String value, int takeovers, Duration longestWait) {
    static Done of(String words) {
      String[] parts = words.split(" ", -1);
      assertThat(parts).hasSize(4);
      return new Done(
          parts[1], Integer.parseInt(parts[2]), Duration.ofMillis(Long.parseLong(parts[3])));
    }
  }

  private final BlockingQueue<Said> said = new LinkedBlockingQueue<>();

  private Said next() throws InterruptedException {
    Said next = said.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("what a process says").isNotNull();
    return Objects.requireNonNull(next);
  }

  private List<Forked> start(TestSchema schema) throws Exception {
    List<Forked> processes = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(new Forked(schema, said));
    }
    for (int i = 0; i < PROCESSES; i++) {
      assertThat(next().words()).isEqualTo("ready");
    }
    return processes;
  }

  private static TestSchema schema(TestDatabase database) {
    TestSchema schema = database.newSchema();
    Migrations.on(schema.dataSource()).migrate();
    schema.execute("create table loads (name varchar(100))");
    return schema;
  }

  private static void end(List<Forked> processes) throws IOException {
    for (Forked process : processes) {
      process.close();
    }
  }

  private void oneLoad(TestDatabase database) throws Exception {
    try (TestSchema schema = schema(database)) {
      List<Forked> processes = start(schema);
      try {
        for (int round = 0; round < 5; round++) {
          String key = "cold" + round;
          for (Forked process : processes) {
            process.ask(key);
          }
          assertThat(next().words()).isEqualTo("loading");
          for (int i = 0; i < PROCESSES; i++) {
            Done done = Done.of(next().words());
            assertThat(done.value()).isEqualTo(key + "-0");
            assertThat(done.takeovers()).isZero();
          }
          assertThat(schema.count("select count(*) from loads where name = '" + key + "'"))
              .isEqualTo(1);
        }
      } finally {
        end(processes);
      }
    }
  }

  private void takeover(TestDatabase database) throws Exception {
    try (TestSchema schema = schema(database)) {
      List<Forked> processes = start(schema);
      try {
        for (Forked process : processes) {
          process.ask("stuck");
        }
        Said leader = next();
        assertThat(leader.words()).isEqualTo("loading");
        leader.process().kill();

        Said successor = next();
        assertThat(successor.words()).isEqualTo("loading");
        int takeovers = 0;
        for (int i = 1; i < PROCESSES; i++) {
          Done done = Done.of(next().words());
          assertThat(done.value()).isEqualTo("stuck-1");
          assertThat(done.longestWait())
              .isLessThan(CacheProcess.LEASE.plus(CacheProcess.LOAD).plus(SLACK));
          takeovers += done.takeovers();
        }
        assertThat(takeovers).isEqualTo(1);
        assertThat(schema.count("select count(*) from loads")).isEqualTo(2);
      } finally {
        end(processes);
      }
    }
  }

  @Test
  void aHundredReadersInFourProcessesCostOneLoad() throws Exception {
    oneLoad(TestDatabase.postgreSql());
  }

  @Test
  void aHundredReadersInFourProcessesCostOneLoadAlsoWhereNobodyIsTold() throws Exception {
    oneLoad(TestDatabase.mariaDb());
  }

  @Test
  void whenTheOneThatLoadsIsKilledOneOtherTakesItsPlace() throws Exception {
    takeover(TestDatabase.postgreSql());
  }

  @Test
  void whenTheOneThatLoadsIsKilledOneOtherTakesItsPlaceAlsoWhereNobodyIsTold() throws Exception {
    takeover(TestDatabase.mariaDb());
  }
}
