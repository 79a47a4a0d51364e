package dev.holdfast.testing.sql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/** A {@link MigratorProcess}, seen from the test; closing it kills the process. */
final class ForkedMigrator implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final Path errors;

  private ForkedMigrator(Process process, Path errors) {
    this.process = process;
    this.out = process.inputReader(UTF_8);
    this.in = process.outputWriter(UTF_8);
    this.errors = errors;
  }

  static ForkedMigrator start(TestSchema schema, String mode) throws IOException {
    Path errors = Files.createTempFile("holdfast-migrator-", ".log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                MigratorProcess.class.getName(),
                schema.url(),
                schema.user(),
                schema.password(),
                mode)
            .redirectError(errors.toFile())
            .start();
    return new ForkedMigrator(process, errors);
  }

  /** Waits until the process says this word. */
  void awaits(String word) throws IOException {
    assertThat(out.readLine()).as("what the process says; %s", errors()).isEqualTo(word);
  }

  void go() throws IOException {
    in.write("go\n");
    in.flush();
  }

  void assertEndsWell() throws IOException, InterruptedException {
    assertThat(process.waitFor(120, SECONDS)).as("has ended").isTrue();
    assertThat(process.exitValue()).as("exit code; %s", errors()).isZero();
    assertThat(out.readLine()).contains("version=3");
  }

  /** As {@code kill -9}: the process has no chance to say anything to anybody. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  private String errors() throws IOException {
    return Files.readString(errors);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(errors);
  }
}
