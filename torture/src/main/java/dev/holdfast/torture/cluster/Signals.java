package dev.holdfast.torture.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Sends signals to processes of this run, by their ids. */
final class Signals {
  private Signals() {}

  /** Processes that are gone already are passed over. */
  static void send(String signal, List<Long> pids) throws IOException, InterruptedException {
    if (pids.isEmpty()) {
      return;
    }
    List<String> command = new ArrayList<>(List.of("kill", "-" + signal));
    pids.forEach(pid -> command.add(Long.toString(pid)));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    process.waitFor();
  }
}
