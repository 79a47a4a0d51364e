package dev.holdfast.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The machine that figures were measured on. */
final class Machine {
  private Machine() {}

  static String describe() {
    return "%d cores (%s), JDK %s, heap %d MB, %s %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            processor(),
            Runtime.version().feature(),
            Runtime.getRuntime().maxMemory() >> 20,
            System.getProperty("os.name"),
            System.getProperty("os.version"));
  }

  private static String processor() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse("unknown processor");
    } catch (IOException e) {
      return "unknown processor";
    }
  }
}
