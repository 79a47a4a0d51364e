package dev.holdfast.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process that is measured, or measures. What it says on its standard output can be read. */
final class Program implements AutoCloseable {
  /** As {@code ./holdfast serve} has them, for all. */
  private static final List<String> JVM =
      List.of("-XX:+UseSerialGC", "-Xmx256m", "-Xss512k", "-XX:ReservedCodeCacheSize=64m");

  private final String name;
  private final Process process;
  private final BufferedReader out;
  private final StringBuilder said = new StringBuilder();

  private Program(String name, Process process) {
    this.name = name;
    this.process = process;
    this.out = process.inputReader(UTF_8);
  }

  static Program java(String classpath, Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(JVM);
    command.addAll(List.of("-cp", classpath, main.getName()));
    command.addAll(List.of(arguments));
    return start(main.getSimpleName(), command, Map.of());
  }

  static Program start(String name, List<String> command, Map<String, String> environment)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    // what it says is shown where it ends too early
    builder.redirectErrorStream(true);
    builder.environment().putAll(environment);
    return new Program(name, builder.start());
  }

  /** What the first group of the pattern is in the next line that has it. */
  String awaitLine(String regex) throws IOException {
    Pattern pattern = Pattern.compile(regex);
    for (String line = out.readLine(); line != null; line = out.readLine()) {
      said.append(line).append('\n');
      Matcher found = pattern.matcher(line);
      if (found.find()) {
        return found.group(found.groupCount());
      }
    }
    throw new IllegalStateException(name + " has ended before it said '" + regex + "':\n" + said);
  }

  void tell(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(UTF_8));
    process.getOutputStream().flush();
  }

  /** The most memory that it has had resident, in MB, as the kernel counts it. */
  long peakMemory() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", process.pid() + "", "status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) / 1024;
      }
    }
    throw new IllegalStateException("the kernel does not tell the memory of " + name);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (process.waitFor(30, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    process.destroyForcibly();
  }
}
