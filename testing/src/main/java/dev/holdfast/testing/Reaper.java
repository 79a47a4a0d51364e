package dev.holdfast.testing;

import dev.holdfast.embedded.internal.Detached;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * A small process beside this JVM that waits for its end, stops what still runs in a folder, and
 * removes the folder.
 *
 * <p>It reads from a pipe that only this JVM writes to. However the JVM ends, also by {@code kill
 * -9}, the kernel closes the pipe, and that is the signal. A JVM that ends normally closes the pipe
 * itself and waits until the reaper is done.
 */
final class Reaper {

  /**
   * The processes of a folder are those that name its data on their command line. SIGQUIT stops
   * PostgreSQL at once but, other than SIGKILL, lets it give back its shared memory. The folder
   * comes by the pipe and is handed to grep by a pipe: neither must find itself. A process that was
   * just being started when the JVM died needs a moment to get its command line.
   */
  private static final String SCRIPT =
      """
      IFS= read -r folder || exit
      while read -r line; do :; done
      sleep 0.1
      processes() {
        printf '%s\\n' "$folder/data" | grep -lFs -f - /proc/[0-9]*/cmdline | cut -d/ -f3
      }
      signal() {
        for process in $(processes); do kill -s "$1" "$process"; done
      }
      await_end() {
        for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
          [ -z "$(processes)" ] && return
          sleep 0.1
        done
      }
      signal QUIT
      await_end
      signal KILL
      await_end
      for turn in 1 2 3 4 5; do
        rm -rf "$folder" && exit
        sleep 0.2
      done
      """;

  /** Keeps the pipes reachable: a collected one would be closed, and its server reaped. */
  private static final Queue<Reaper> REAPERS = new ConcurrentLinkedQueue<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(Reaper::reapAll, "holdfast-reaper"));
  }

  private final Process process;
  private final Writer pipe;

  private Reaper(Process process, Writer pipe) {
    this.process = process;
    this.pipe = pipe;
  }

  /** From now on the folder, which need not exist yet, and what runs in it go with this JVM. */
  static void watch(Path folder) {
    try {
      Process process =
          new ProcessBuilder(Detached.command(List.of("sh", "-c", SCRIPT)))
              .directory(Path.of("/").toFile())
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      Writer pipe = process.outputWriter(StandardCharsets.UTF_8);
      pipe.write(folder + "\n");
      pipe.flush();
      REAPERS.add(new Reaper(process, pipe));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start the reaper of " + folder, e);
    }
  }

  private static void reapAll() {
    try {
      for (Reaper reaper : REAPERS) {
        reaper.pipe.close();
      }
      for (Reaper reaper : REAPERS) {
        reaper.process.waitFor(10, TimeUnit.SECONDS);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
