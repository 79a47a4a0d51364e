package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BinariesIT {

  private final Path cache;

  BinariesIT(@TempDir Path cache) throws IOException {
    this.cache = cache;
    ForkedJvm.openToNobody(cache);
  }

  @Test
  void jvmsThatUnpackAtOnceShareOneCopy() throws IOException {
    try (ForkedJvm one = fork();
        ForkedJvm other = fork()) {
      assertThat(one.line()).startsWith("jdbc:postgresql:");
      assertThat(other.line()).startsWith("jdbc:postgresql:");
    }

    assertThat(folders()).hasSize(1);
  }

  @Test
  void unpacksAgainAfterKill() throws IOException {
    try (ForkedJvm first = fork()) {
      assertThat(first.line()).startsWith("jdbc:postgresql:");
    }
    Path whole = folders().get(0);
    Path half = whole.resolveSibling(whole.getFileName() + ".partial");
    Files.move(whole, half);
    Files.delete(half.resolve("bin/initdb"));

    try (ForkedJvm second = fork()) {
      assertThat(second.line()).startsWith("jdbc:postgresql:");
    }

    assertThat(folders()).containsExactly(whole);
  }

  private ForkedJvm fork() throws IOException {
    return ForkedJvm.start(
        SchemaMain.class, Map.of("holdfast.test.cache", cache.toString()), "postgresql");
  }

  private List<Path> folders() throws IOException {
    try (Stream<Path> list = Files.list(cache)) {
      return list.filter(Files::isDirectory).toList();
    }
  }
}
