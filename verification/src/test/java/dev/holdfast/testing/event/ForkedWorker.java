package dev.holdfast.testing.event;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ServedH2;
import dev.holdfast.testing.TestSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A {@link WorkerProcess}, seen from the test; closing it kills the process. */
final class ForkedWorker implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final Path errors;

  private ForkedWorker(Process process, Path errors) {
    this.process = process;
    this.out = process.inputReader(UTF_8);
    this.in = process.outputWriter(UTF_8);
    this.errors = errors;
  }

  static ForkedWorker start(TestSchema schema) throws IOException {
    Path errors = Files.createTempFile("holdfast-worker-", ".log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                WorkerProcess.class.getName(),
                ServedH2.url(schema),
                schema.user(),
                schema.password())
            .redirectError(errors.toFile())
            .start();
    ForkedWorker worker = new ForkedWorker(process, errors);
    worker.says("ready");
    return worker;
  }

  /** Waits until the process says this. */
  void says(String words) throws IOException {
    assertThat(out.readLine()).as("what the process says; %s", errors()).isEqualTo(words);
  }

  /** Lets a held handler go on. */
  void go() throws IOException {
    in.write("go\n");
    in.flush();
  }

  /** As {@code kill -9}: the process has no chance to say anything to anybody. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Waits until the process has ended by itself. */
  void ends() throws InterruptedException {
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("it has ended").isTrue();
  }

  /** Stops the process as a suspended machine would, or lets it go on. */
  void signal(String name) throws IOException, InterruptedException {
    int answer = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    assertThat(answer).isZero();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** What it has logged. */
  String errors() throws IOException {
    return Files.readString(errors);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(errors);
  }
}
