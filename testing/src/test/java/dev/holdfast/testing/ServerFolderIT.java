package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ServerFolderIT {

  private final ServerFolder folder = ServerFolder.create("postgresql", Map.of());

  @Test
  void restartsOnOtherPort() {
    AtomicInteger starts = new AtomicInteger();

    int port =
        folder.serve(
            free ->
                starts.incrementAndGet() < 3
                    ? sh("echo port is taken; exit 1")
                    : sh(": > $0/file; echo ready; exec tail -f $0/file"),
            "ready");

    assertThat(starts).hasValue(3);
    assertThat(port).isPositive();
  }

  @Test
  void reportsFailedServerWithLog() {
    assertThatThrownBy(() -> folder.serve(free -> sh("echo no space left; exit 3"), "ready"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended with code 3")
        .hasMessageContaining("no space left")
        .hasMessageContaining("-Dholdfast.test.postgresql.url");
  }

  @Test
  void aCommandThatFailsIsReportedWithItsLog() {
    assertThatThrownBy(() -> folder.run(sh("echo wrong locale; exit 2")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended with code 2")
        .hasMessageContaining("wrong locale");
  }

  /** The last word, $0 to the script, is what the reaper knows the process by. */
  private List<String> sh(String script) {
    return List.of("sh", "-c", script, folder.data().toString());
  }
}
