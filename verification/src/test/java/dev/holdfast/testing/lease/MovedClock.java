package dev.holdfast.testing.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * A wall clock for another process that can be moved while it runs: a library that is loaded before
 * all others, and answers with the real time and what is written in a file. The monotonic clock
 * stays as it is, as it does where somebody sets the clock of a machine. Needs Linux and a C
 * compiler; where they are not, the test is left out.
 */
final class MovedClock implements AutoCloseable {
  private static final String LIBRARY =
      """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdio.h>
      #include <stdlib.h>
      #include <sys/time.h>
      #include <time.h>

      static long moved(void) {
        long seconds = 0;
        FILE *file = fopen(getenv("MOVED_CLOCK"), "r");
        if (file) {
          if (fscanf(file, "%ld", &seconds) != 1) seconds = 0;
          fclose(file);
        }
        return seconds;
      }

      int clock_gettime(clockid_t id, struct timespec *now) {
        static int (*real)(clockid_t, struct timespec *);
        if (!real) real = (int (*)(clockid_t, struct timespec *)) dlsym(RTLD_NEXT, "clock_gettime");
        int answer = real(id, now);
        if (answer == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
          now->tv_sec += moved();
        return answer;
      }

      int gettimeofday(struct timeval *restrict now, void *restrict zone) {
        struct timespec precise;
        int answer = clock_gettime(CLOCK_REALTIME, &precise);
        now->tv_sec = precise.tv_sec;
        now->tv_usec = precise.tv_nsec / 1000;
        return answer;
      }
      """;

  private final Path folder;
  private final Path time;

  MovedClock() throws IOException, InterruptedException {
    Assumptions.assumeTrue(
        System.getProperty("os.name").equals("Linux"), "a clock is moved on Linux only");
    folder = Files.createTempDirectory("holdfast-clock");
    time = folder.resolve("time");
    Path source = Files.writeString(folder.resolve("clock.c"), LIBRARY);
    Assumptions.assumeTrue(
        compiled(source), "to move the clock of a process needs a C compiler, cc");
    move(Duration.ZERO);
  }

  private boolean compiled(Path source) throws InterruptedException {
    try {
      return new ProcessBuilder(
                  "cc", "-shared", "-fPIC", "-o", library(), source.toString(), "-ldl")
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("cc.log").toFile())
              .start()
              .waitFor()
          == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private String library() {
    return folder.resolve("clock.so").toString();
  }

  /** What a process needs in its environment to live by this clock. */
  Map<String, String> environment() {
    return Map.of("LD_PRELOAD", library(), "MOVED_CLOCK", time.toString());
  }

  /** From now on it is so far from the real time. */
  void move(Duration apart) throws IOException {
    Path next = Files.write(folder.resolve("next"), ("" + apart.toSeconds()).getBytes(UTF_8));
    Files.move(next, time, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void close() throws IOException {
    try (var files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }
}
