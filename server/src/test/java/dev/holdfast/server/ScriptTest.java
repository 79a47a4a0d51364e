package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./holdfast} says, in one line, where a tool is missing or too old. */
@Timeout(120)
final class ScriptTest {
  private record Ended(int code, String output) {}

  @TempDir Path folder;
  private Path home;

  /** A copy of the script, in a tree that looks built. */
  @BeforeEach
  void copy() throws IOException {
    home = Files.createDirectory(folder.resolve("home"));
    Files.copy(Path.of("..", "holdfast"), home.resolve("holdfast"));
    Files.createDirectories(home.resolve("server/src/main"));
    Files.createDirectories(home.resolve("server/target"));
    Files.writeString(home.resolve("pom.xml"), "");
    Files.writeString(home.resolve("server/pom.xml"), "");
    Files.writeString(home.resolve("server/target/holdfast-server-1.jar"), "");
    Files.writeString(home.resolve("server/target/dependencies.classpath"), "");
  }

  private static void program(Path path, String... lines) throws IOException {
    Files.createDirectories(path.getParent());
    Files.writeString(path, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** A folder that looks like a JDK, whose java says which version it is. */
  private Path jdk(String version) throws IOException {
    Path jdk = folder.resolve("jdk " + version);
    program(jdk.resolve("bin/javac"), "exit 0");
    program(
        jdk.resolve("bin/java"),
        "case \"$1\" in",
        "-Xshow*) echo '    java.specification.version = " + version + "' >&2 ;;",
        "*) echo \"ran with $*\" ;;",
        "esac");
    return jdk;
  }

  private static Path thisJdk() {
    return Path.of(System.getProperty("java.home"));
  }

  private Ended run(Path jdk, String path, List<String> arguments) throws Exception {
    ProcessBuilder builder = new ProcessBuilder("bash", home.resolve("holdfast").toString());
    builder.command().addAll(arguments);
    builder.environment().put("JAVA_HOME", jdk.toString());
    builder.environment().put("PATH", path);
    Process process = builder.redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), output);
  }

  private Ended run(Path jdk, String... arguments) throws Exception {
    return run(jdk, System.getenv("PATH"), List.of(arguments));
  }

  @Test
  void aJdkThatIsTooOldIsRefusedByEveryCommand() throws Exception {
    Path jdk = jdk("11");
    for (String command :
        List.of("version", "serve", "events", "queues", "schedules", "token", "migrate", "test")) {
      Ended ended = run(jdk, command);

      assertThat(ended.output)
          .as(command)
          .isEqualTo("holdfast: a JDK 17 or newer is needed; " + jdk + "/bin/java is version 11\n");
      assertThat(ended.code).isEqualTo(1);
    }
  }

  @Test
  void theVersionOfAJdkIsReadFromItsFile() throws Exception {
    Path jdk = jdk("21");
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"1.8.0_402\"\n");

    assertThat(run(jdk, "version").output).endsWith("/bin/java is version 1.8.0\n");
    Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");
    assertThat(run(jdk, "version").output).startsWith("ran with ").contains("Main version");
  }

  @Test
  void aJdkThatIsNewEnoughIsUsed() throws Exception {
    assertThat(run(jdk("17"), "version").output).startsWith("ran with ").contains("Main version");
  }

  @Test
  void aFolderWithoutAJdkIsRefused() throws Exception {
    Ended ended = run(folder, "version");

    assertThat(ended.output)
        .isEqualTo(
            "holdfast: there is no JDK in JAVA_HOME ("
                + folder
                + "); set it to a JDK 17 or newer\n");
    assertThat(ended.code).isEqualTo(1);
  }

  @Test
  void aMavenThatIsTooOldIsRefused() throws Exception {
    Path tools = folder.resolve("tools");
    program(tools.resolve("mvn"), "echo 'Apache Maven 3.6.3 (of long ago)'");
    Ended ended = run(jdk("17"), tools + ":" + System.getenv("PATH"), List.of("test"));

    assertThat(ended.output)
        .isEqualTo("holdfast: Maven 3.8 or newer is needed; mvn is version 3.6.3\n");
    assertThat(ended.code).isEqualTo(1);
  }

  /** A Maven that says what a real one says, notes what it was asked for, and ends with this. */
  private String maven(int code) throws IOException {
    Path tools = folder.resolve("tools");
    program(
        tools.resolve("mvn"),
        "if [ \"$1\" = --version ]; then echo 'Apache Maven 3.9.9 (x)'; exit; fi",
        "echo \"$@\" > '" + folder.resolve("asked") + "'",
        "echo '[INFO] Building Holdfast 0.1.0                          [1/3]'",
        "printf '\\033[1mnoise\\033[m\\n'",
        "echo '[INFO] Building Holdfast Core 0.1.0-SNAPSHOT            [2/3]'",
        "echo '[INFO] Building Holdfast Server 0.1.0-SNAPSHOT          [3/3]'",
        "[ " + code + " = 0 ] || echo '[ERROR] it does not compile'",
        "exit " + code);
    Files.delete(home.resolve("server/target/dependencies.classpath"));
    return tools + ":" + System.getenv("PATH");
  }

  @Test
  void theFirstCommandShowsHowFarItsBuildIs() throws Exception {
    Ended ended = run(jdk("17"), maven(0), List.of("serve", "--help"));

    assertThat(ended.output)
        .contains(
            "holdfast: building, which takes a minute or two",
            "\nholdfast: building (1 of 3)\n",
            "\nholdfast: building Core (2 of 3)\n",
            "\nholdfast: building Server (3 of 3)\n",
            "Main serve --help")
        .doesNotContain("noise");
    assertThat(ended.code).isZero();
    assertThat(folder.resolve("asked")).content().contains("-pl server -am", "-Dmaven.test.skip");
    assertThat(home.resolve("target/build-server.log")).content().contains("noise");
  }

  @Test
  void aBuildThatFailsSaysWhatIsWrong() throws Exception {
    Ended ended = run(jdk("17"), maven(1), List.of("version"));

    assertThat(ended.output)
        .contains("[ERROR] it does not compile", "holdfast: the build failed; see")
        .doesNotContain("ran with");
    assertThat(ended.code).isEqualTo(1);
    assertThat(home.resolve("server/target/dependencies.classpath")).doesNotExist();
  }

  @Test
  void aCommandThatIsNotThereIsRefused() throws Exception {
    Ended ended = run(thisJdk(), "fly");

    assertThat(ended.output)
        .isEqualTo("holdfast: there is no command 'fly'; see ./holdfast help\n");
    assertThat(ended.code).isEqualTo(2);
  }

  @Test
  void skipsBrowserTestsOutsideOfCi() {
    assertThatThrownBy(() -> Dashboard.withoutChromium("a test", Map.of()))
        .isNotInstanceOf(AssertionError.class)
        .hasMessageContaining("no Chromium on the PATH");
    assertThatThrownBy(() -> Dashboard.withoutChromium("a test", Map.of("CI", "true")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("a test needs a Chromium");
  }
}
