package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What ./holdfast makes of its arguments, with a java that only says what it was given. */
class LauncherTest {
  private static final Path CHECKOUT = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path home;

  @Test
  void serveUsesFlagsOfTests() throws Exception {
    List<String> given = run("serve", "--port", "1");

    assertThat(given)
        .startsWith("@" + home + "/server/launcher.flags", "-Dholdfast.home=" + home)
        .endsWith("dev.holdfast.server.Main", "serve", "--port", "1")
        .contains("-Xmx512m")
        .as("standard output is no terminal")
        .doesNotContain("-Dholdfast.terminal=true");
  }

  @Test
  void whatUsersSetComesAfterTheFlags() throws Exception {
    List<String> given = run("version");

    assertThat(given.indexOf("-Xmx512m")).isGreaterThan(given.indexOf("-Dholdfast.home=" + home));
    assertThat(Files.readAllLines(CHECKOUT.resolve("server/launcher.flags")))
        .contains("-Xmx256m", "-XX:+ExitOnOutOfMemoryError", "-XX:+DisplayVMOutputToStderr");
  }

  /** The arguments of the last java that was called. */
  private List<String> run(String... arguments) throws IOException, InterruptedException {
    Path script = Files.copy(CHECKOUT.resolve("holdfast"), home.resolve("holdfast"));
    Path jdk = Files.createDirectories(home.resolve("jdk/bin"));
    Files.createDirectories(home.resolve("server/src/main"));
    Files.createFile(home.resolve("pom.xml"));
    Files.createFile(home.resolve("server/pom.xml"));
    Path target = Files.createDirectories(home.resolve("server/target"));
    Files.createFile(target.resolve("holdfast-server-1.jar"));
    Files.writeString(target.resolve("dependencies.classpath"), "a.jar");
    program(jdk.resolve("javac"), "");
    program(
        jdk.resolve("java"),
        "case \"$1\" in -XshowSettings*) echo ' java.specification.version = 17' ;; *) printf"
            + " '%s\\n"
            + "' \"$@\" > '"
            + home.resolve("given")
            + "' ;; esac");
    ProcessBuilder builder = new ProcessBuilder("bash", script.toString());
    builder.command().addAll(List.of(arguments));
    builder.environment().put("JAVA_HOME", home.resolve("jdk").toString());
    builder.environment().put("HOLDFAST_JAVA_OPTIONS", "-Xmx512m");
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return Files.readAllLines(home.resolve("given"));
  }

  private static void program(Path file, String line) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
