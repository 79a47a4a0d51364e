package dev.holdfast.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the end of a server and starts it again, on the same port and with a growing pause
 * between two attempts, until it runs or the limit is over. A thread of its own.
 */
final class Supervisor implements AutoCloseable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration MAX_DELAY = Duration.ofSeconds(10);
  private static final Duration JOIN_LIMIT = Duration.ofSeconds(5);

  private final Starter starter;
  private final Duration limit;
  private final Consumer<String> log;
  private final Runnable gaveUp;
  private final Thread thread;
  private volatile @Nullable Long failingSince;

  /** Starts the server and returns when it is ready. */
  interface Starter {
    /** The running server; an {@link EmbeddedException} where it does not start. */
    Process start() throws IOException, InterruptedException;
  }

  Supervisor(
      Process running, Starter starter, Duration limit, Consumer<String> log, Runnable gaveUp) {
    this.starter = starter;
    this.limit = limit;
    this.log = log;
    this.gaveUp = gaveUp;
    this.thread = new Thread(() -> run(running), "holdfast-postgresql");
    thread.setDaemon(true);
  }

  Supervisor begin() {
    thread.start();
    return this;
  }

  /** For how long it is dead, where starting it again has failed; else empty. */
  Optional<Duration> deadFor() {
    Long since = failingSince;
    return since == null
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(System.nanoTime() - since));
  }

  private void run(Process running) {
    try {
      Process process = running;
      while (process != null) {
        int code = process.waitFor();
        log.accept("PostgreSQL ended with code " + code + "; restarting");
        process = restarted();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
      return;
    }
    log.accept(
        "PostgreSQL could not be restarted within %d s; no further attempts"
            .formatted(limit.toSeconds()));
    gaveUp.run();
  }

  /** Null where it could not be started within the limit. */
  private @Nullable Process restarted() throws InterruptedException {
    long since = System.nanoTime();
    for (Duration pause = FIRST_PAUSE; ; pause = longer(pause)) {
      try {
        Process process = starter.start();
        failingSince = null;
        log.accept(
            String.format(
                Locale.ROOT,
                "PostgreSQL restarted after %.1f s",
                (System.nanoTime() - since) / (double) SECONDS.toNanos(1)));
        return process;
      } catch (IOException | EmbeddedException e) {
        failingSince = since;
        log.accept("PostgreSQL could not be started; retrying: " + e.getMessage());
      }
      if (System.nanoTime() - since > limit.toNanos()) {
        return null;
      }
      Thread.sleep(pause.toMillis());
    }
  }

  private static Duration longer(Duration pause) {
    Duration doubled = pause.multipliedBy(2);
    return doubled.compareTo(MAX_DELAY) < 0 ? doubled : MAX_DELAY;
  }

  /** From now on it is not started again. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(JOIN_LIMIT.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
