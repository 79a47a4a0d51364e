package dev.holdfast.torture.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** Says every ten seconds that a run goes on. */
final class Progress {
  private final Path folder;
  private final IntSupplier faults;
  private final CountDownLatch ended = new CountDownLatch(1);

  private Progress(Path folder, IntSupplier faults) {
    this.folder = folder;
    this.faults = faults;
  }

  static Progress start(Path folder, IntSupplier faults) {
    Progress progress = new Progress(folder, faults);
    FaultProxy.thread("torture-progress", progress::run);
    return progress;
  }

  void end() {
    ended.countDown();
  }

  private void run() {
    long start = System.nanoTime();
    try {
      while (!ended.await(10, TimeUnit.SECONDS)) {
        TortureRun.say(
            "%d s, %d faults, %,d KB of histories, load of the machine %s"
                .formatted(
                    (System.nanoTime() - start) / 1_000_000_000L,
                    faults.getAsInt(),
                    size() / 1024,
                    TortureRun.loadAverage()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long size() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".history"))
          .mapToLong(file -> file.toFile().length())
          .sum();
    } catch (IOException e) {
      return 0;
    }
  }
}
