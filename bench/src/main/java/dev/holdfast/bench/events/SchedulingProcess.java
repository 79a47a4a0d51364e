package dev.holdfast.bench.events;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.testing.TestSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Another process, which schedules events one by one at random times. */
record SchedulingProcess(Process process, Path log) implements AutoCloseable {
  private static final int MAX_DELAY_MILLIS = 60;

  static SchedulingProcess start(TestSchema schema, int events) throws IOException {
    Path log = Files.createTempFile("holdfast-bench-", ".log");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                SchedulingProcess.class.getName(),
                schema.url(),
                schema.user(),
                schema.password(),
                Integer.toString(events))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    return new SchedulingProcess(process, log);
  }

  public static void main(String... args) throws InterruptedException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(1);
    try (HikariDataSource dataSource = new HikariDataSource(config)) {
      Holdfast holdfast = Holdfast.create(dataSource);
      for (int left = Integer.parseInt(args[3]); left > 0; left--) {
        TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(MAX_DELAY_MILLIS));
        holdfast.events().schedule(IdleInstance.SAMPLE.event(IdleInstance.nowMicros()));
      }
    }
  }

  /** What it has said. */
  String errors() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    Files.deleteIfExists(log);
  }
}
