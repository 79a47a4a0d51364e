package dev.holdfast.testing.lease;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ServedH2;
import dev.holdfast.testing.TestSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A {@link LeaseProcess}, seen from the test; closing it kills the process. */
final class ForkedHolder implements AutoCloseable {
  private final Process process;
  private final BufferedReader out;
  private final Writer in;
  private final Path errors;

  private ForkedHolder(Process process, Path errors) {
    this.process = process;
    this.out = process.inputReader(UTF_8);
    this.in = process.outputWriter(UTF_8);
    this.errors = errors;
  }

  static ForkedHolder start(TestSchema schema) throws IOException {
    return start(schema, Map.of());
  }

  static ForkedHolder start(TestSchema schema, Map<String, String> environment) throws IOException {
    Path errors = Files.createTempFile("holdfast-lease-", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LeaseProcess.class.getName(),
                ServedH2.url(schema),
                schema.user(),
                schema.password())
            .redirectError(errors.toFile());
    builder.environment().putAll(environment);
    ForkedHolder holder = new ForkedHolder(builder.start(), errors);
    assertThat(holder.says()).isEqualTo("ready");
    return holder;
  }

  /** The next thing that the process says. */
  String says() throws IOException {
    String line = out.readLine();
    assertThat(line).as("what the process says; %s", Files.readString(errors)).isNotNull();
    return line;
  }

  void tell(String words) throws IOException {
    in.write(words + "\n");
    in.flush();
  }

  /** Stops the process as a suspended machine would, or lets it go on. */
  void signal(String name) throws IOException, InterruptedException {
    int answer = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
    assertThat(answer).isZero();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(errors);
  }
}
