package dev.holdfast.torture.cluster;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A JVM of a run: a worker ({@code w1}) or a scheduler ({@code s1}), behind a proxy of its own. It
 * is told what to do by lines on its standard input, and ends where that is closed. Thread-safe.
 */
final class Node implements AutoCloseable {
  private final String name;
  private final Path java;
  private final Path folder;
  private final FaultProxy proxy;
  private final List<String> options;
  private @Nullable Process process;
  private int incarnation;

  Node(String name, Path java, Path folder, FaultProxy proxy, List<String> options) {
    this.name = name;
    this.java = java;
    this.folder = folder;
    this.proxy = proxy;
    this.options = options;
  }

  String name() {
    return name;
  }

  FaultProxy proxy() {
    return proxy;
  }

  boolean isWorker() {
    return name.startsWith("w");
  }

  synchronized void start() throws IOException {
    incarnation++;
    List<String> command =
        new ArrayList<>(
            List.of(
                java.toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.showDateTime=true",
                "-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.holdfast.torture.work.NodeProgram",
                folder.toString(),
                name + "." + incarnation,
                Integer.toString(proxy.port())));
    command.addAll(options);
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(folder.resolve(name + ".log").toFile()))
            .start();
  }

  /** The name with the number of the process that runs now. */
  synchronized String processName() {
    return name + "." + incarnation;
  }

  synchronized boolean isAlive() {
    return process != null && process.isAlive();
  }

  /** {@code hold MILLIS}, {@code quiet} or {@code stop}. */
  synchronized void tell(String line) {
    try {
      if (process != null) {
        OutputStream out = process.getOutputStream();
        out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
      }
    } catch (IOException e) {
      // it was killed in between
    }
  }

  synchronized void signal(String signal) throws IOException, InterruptedException {
    if (process != null) {
      Signals.send(signal, List.of(process.pid()));
    }
  }

  void kill() throws IOException, InterruptedException {
    signal("KILL");
    await(10);
  }

  /** Whether it has ended within so many seconds. */
  boolean await(int seconds) throws InterruptedException {
    Process running;
    synchronized (this) {
      running = process;
    }
    return running == null || running.waitFor(seconds, TimeUnit.SECONDS);
  }

  @Override
  public void close() throws IOException {
    try {
      if (isAlive()) {
        signal("CONT");
        kill();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    proxy.close();
  }
}
