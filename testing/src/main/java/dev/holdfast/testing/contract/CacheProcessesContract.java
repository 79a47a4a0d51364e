package dev.holdfast.testing.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The shared cache in several processes, of which one is killed. */
public abstract class CacheProcessesContract {
  private static final int PROCESSES = 4;

  /** For starting threads and connections on a busy machine. */
  private static final Duration SLACK = Duration.ofSeconds(10);

  /** An empty place that other processes find, for one test. */
  public interface Place extends AutoCloseable {
    /** The class whose main method ends in {@link CacheTestProcess#run}, and its arguments. */
    List<String> main();

    /** How many loads of a key the processes have counted. */
    int loads(String key);

    @Override
    void close();
  }

  /** What a process says, and which one. */
  private record Said(Forked process, String words) {}

  private static final class Forked implements AutoCloseable {
    private final Process process;
    private final Writer in;
    private final Path errors;

    Forked(List<String> main, BlockingQueue<Said> said) throws IOException {
      errors = Files.createTempFile("holdfast-cache-", ".log");
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(main);
      process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
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
  private record Done(String value, int takeovers, Duration maxWait) {
    static Done of(String words) {
      String[] parts = words.split(" ", -1);
      assertThat(parts).hasSize(4);
      return new Done(
          parts[1], Integer.parseInt(parts[2]), Duration.ofMillis(Long.parseLong(parts[3])));
    }
  }

  private final Supplier<Place> places;
  private final BlockingQueue<Said> said = new LinkedBlockingQueue<>();
  private final List<Forked> processes = new ArrayList<>();
  private Place place;

  @SuppressWarnings("NullAway.Init")
  protected CacheProcessesContract(Supplier<Place> places) {
    this.places = places;
  }

  @BeforeEach
  final void start() throws Exception {
    place = places.get();
    for (int i = 0; i < PROCESSES; i++) {
      processes.add(new Forked(place.main(), said));
    }
    for (int i = 0; i < PROCESSES; i++) {
      assertThat(next().words()).isEqualTo("ready");
    }
  }

  @AfterEach
  final void end() throws IOException {
    for (Forked process : processes) {
      process.close();
    }
    place.close();
  }

  private Said next() throws InterruptedException {
    Said next = said.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("what a process says").isNotNull();
    return Objects.requireNonNull(next);
  }

  @Test
  void hundredReadersCauseOneLoad() throws Exception {
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
      assertThat(place.loads(key)).isEqualTo(1);
    }
  }

  @Test
  void otherLoadsAfterLoaderIsKilled() throws Exception {
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
      assertThat(done.maxWait())
          .as("no longer than the lease of who was killed, and the load")
          .isLessThan(CacheTestProcess.LEASE.plus(CacheTestProcess.LOAD).plus(SLACK));
      takeovers += done.takeovers();
    }
    assertThat(takeovers).isEqualTo(1);
    assertThat(place.loads("stuck")).isEqualTo(2);
  }
}
