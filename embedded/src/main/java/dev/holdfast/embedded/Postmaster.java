package dev.holdfast.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The PostgreSQL that runs on some data, whoever has started it. Its processes are those that work
 * in the folder of the data, its file {@code postmaster.pid} tells which of them is the first.
 */
final class Postmaster {
  /** Long enough for a checkpoint of all that fits into the write-ahead log. */
  private static final Duration CLEAN_STOP = Duration.ofSeconds(30);

  private static final Duration QUICK_STOP = Duration.ofSeconds(5);
  private static final long TURN_MILLIS = 20;

  private final Path data;

  Postmaster(Path data) {
    this.data = data;
  }

  /** Which port it listens on, where it is ready. */
  Optional<Integer> port() throws IOException {
    List<String> lines = lines();
    boolean ready = lines.size() >= 8 && lines.get(7).strip().equals("ready");
    return ready && !processes().isEmpty()
        ? Optional.of(Integer.valueOf(lines.get(3).strip()))
        : Optional.empty();
  }

  /**
   * Stops it, with all that is committed written; does nothing where none runs. Must be called by
   * whoever has the lock of the folder only.
   */
  void stop() throws IOException, InterruptedException {
    if (!processes().isEmpty()) {
      // SIGINT: ends all connections and writes a checkpoint; SIGQUIT: recovers at the next start
      signal("INT", CLEAN_STOP);
      signal("QUIT", QUICK_STOP);
    }
    if (!processes().isEmpty()) {
      throw EmbeddedException.failed(
          "the PostgreSQL that is left over on %s must end, and does not: processes %s"
              .formatted(data, processes()),
          null);
    }
  }

  /**
   * Removes the file of one that is gone, whose number another program has by now: PostgreSQL would
   * take that program for itself and refuse to start.
   */
  void forgetIfGone() throws IOException {
    if (processes().isEmpty()) {
      Files.deleteIfExists(data.resolve("postmaster.pid"));
    }
  }

  private void signal(String signal, Duration limit) throws IOException, InterruptedException {
    Optional<Long> first = first();
    List<Long> receivers = first.isPresent() ? List.of(first.get()) : processes();
    for (long process : receivers) {
      new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process)
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    }
    long start = System.nanoTime();
    while (!processes().isEmpty() && System.nanoTime() - start < limit.toNanos()) {
      Thread.sleep(TURN_MILLIS);
    }
  }

  private Optional<Long> first() throws IOException {
    List<String> lines = lines();
    List<Long> processes = processes();
    return lines.stream()
        .limit(1)
        .map(line -> Long.valueOf(line.strip()))
        .filter(processes::contains)
        .findFirst();
  }

  private List<String> lines() throws IOException {
    try {
      return Files.readAllLines(data.resolve("postmaster.pid"));
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  private List<Long> processes() throws IOException {
    Path real = data.toRealPath();
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.map(ProcessHandle::pid).filter(process -> worksIn(process, real)).toList();
    }
  }

  private static boolean worksIn(long process, Path folder) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(process), "cwd")).equals(folder);
    } catch (IOException e) {
      return false; // it has ended, or is somebody else's
    }
  }
}
