package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ReaperIT {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final Path temporary;

  ReaperIT(@TempDir Path temporary) throws IOException {
    this.temporary = temporary;
    ForkedJvm.openToNobody(temporary);
  }

  @Test
  void aKilledJvmLeavesNothingBehind() throws Exception {
    try (ForkedJvm jvm = fork()) {
      List<Long> processes = runningServers(jvm);
      jvm.kill();

      awaitNothingLeft(processes);
    }
  }

  @Test
  void killedProcessGroupLeavesNothing() throws Exception {
    try (ForkedJvm jvm = fork()) {
      List<Long> processes = runningServers(jvm);
      jvm.killWithItsGroup();

      awaitNothingLeft(processes);
    }
  }

  @Test
  void killDuringServerStartLeavesNothing() throws Exception {
    try (ForkedJvm jvm = fork()) {
      await().atMost(LIMIT).pollInterval(Duration.ofMillis(5)).until(() -> !entries().isEmpty());
      jvm.kill();

      awaitNothingLeft(List.of());
    }
  }

  @Test
  void aJvmThatEndsHasCleanedUpBeforeItIsGone() throws Exception {
    try (ForkedJvm jvm = fork()) {
      List<Long> processes = runningServers(jvm);

      assertThat(jvm.exit()).isZero();

      assertThat(entries()).isEmpty();
      assertThat(processes).noneMatch(ReaperIT::runs);
    }
  }

  private ForkedJvm fork() throws IOException {
    return ForkedJvm.start(
        ServersMain.class,
        Map.of(
            "java.io.tmpdir", temporary.toString(),
            "holdfast.test.cache", TestBinaries.cache().toString()));
  }

  private List<Long> runningServers(ForkedJvm jvm) throws IOException {
    List<Long> processes = Stream.of(jvm.line().split(" ")).map(Long::valueOf).toList();
    assertThat(processes).hasSizeGreaterThan(6).allMatch(ReaperIT::runs);
    assertThat(entries()).hasSize(3);
    assertThat(commandLines()).hasSize(3);
    return processes;
  }

  private void awaitNothingLeft(List<Long> processes) {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              assertThat(entries()).isEmpty();
              assertThat(commandLines()).isEmpty();
              assertThat(processes).noneMatch(ReaperIT::runs);
            });
  }

  private List<Path> entries() throws IOException {
    try (Stream<Path> list = Files.list(temporary)) {
      return list.toList();
    }
  }

  /** The command lines of the processes that work in the folder, the JVM itself left aside. */
  private List<String> commandLines() throws IOException {
    try (Stream<ProcessHandle> all = ProcessHandle.allProcesses()) {
      return all.map(process -> commandLine(process.pid()))
          .filter(line -> line.contains(temporary + "/"))
          .toList();
    }
  }

  /** A zombie, which nobody may have waited for yet, has no command line. */
  private static boolean runs(long process) {
    return !commandLine(process).isEmpty();
  }

  private static String commandLine(long process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process), "cmdline"));
    } catch (IOException e) {
      return ""; // it has ended
    }
  }
}
