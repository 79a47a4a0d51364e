package dev.holdfast.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Another JVM with the class path of this one, which a test can end as it likes. */
final class ForkedJvm implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private ForkedJvm(Process process) {
    this.process = process;
    this.output = process.inputReader(UTF_8);
  }

  static ForkedJvm start(Class<?> main, Map<String, String> properties, String... arguments)
      throws IOException {
    return start(main, properties, Map.of(), arguments);
  }

  static ForkedJvm start(
      Class<?> main,
      Map<String, String> properties,
      Map<String, String> environment,
      String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add("setsid"); // a process group of its own, which a test can kill as a whole
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    return new ForkedJvm(builder.start());
  }

  /** Lets servers work in a folder below this one where root has to run them as nobody. */
  static void openToNobody(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** The next line that it prints. */
  String line() throws IOException {
    String line = output.readLine();
    if (line == null) {
      throw new AssertionError("the forked JVM has ended without an answer; see its errors above");
    }
    return line;
  }

  /** Ends its input, on which its main method returns. */
  int exit() throws IOException, InterruptedException {
    process.getOutputStream().close();
    return process.waitFor();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void killWithItsGroup() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-KILL", "--", "-" + process.pid()).start().waitFor();
    process.waitFor();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    output.close();
  }
}
