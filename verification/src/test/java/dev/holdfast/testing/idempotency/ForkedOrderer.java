package dev.holdfast.testing.idempotency;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.testing.ServedH2;
import dev.holdfast.testing.TestSchema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;

/** A {@link IdempotencyProcess} that a test talks to, and may kill. */
final class ForkedOrderer implements AutoCloseable {
  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  ForkedOrderer(TestSchema schema) throws IOException {
    process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx128m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    IdempotencyProcess.class.getName(),
                    ServedH2.url(schema),
                    schema.user(),
                    schema.password()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    in = process.outputWriter(UTF_8);
    out = process.inputReader(UTF_8);
  }

  void tell(String words) throws IOException {
    in.write(words + "\n");
    in.flush();
  }

  /** The next words that it says; log lines are none. */
  String next() throws IOException {
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      if (line.equals("ready") || line.equals("at work") || line.startsWith("done ")) {
        return line;
      }
    }
    throw new AssertionError("the process has ended without an answer; see its errors above");
  }

  /** As {@code kill -9}: it has no chance to say anything to anybody. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
