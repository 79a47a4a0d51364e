package dev.holdfast.race;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Publishes the report of a test: on the terminal and, if there is a finding, also as an HTML page
 * in the build directory.
 */
final class Reports {
  private static final String FOLDER = "holdfast.race.reports";

  private Reports() {}

  static void publish(RaceReport report, ExtensionContext context) {
    if (!report.hasFinding()) {
      System.out.println(report.text());
      return;
    }
    String message = "\n" + report.text();
    try {
      Path page = folder().resolve(fileName(context));
      Files.createDirectories(page.getParent());
      Files.writeString(page, report.html(), UTF_8);
      message += "\n  HTML report: " + page.toAbsolutePath() + "\n";
    } catch (IOException e) {
      message += "\n  the HTML report could not be written: " + e + "\n";
    }
    throw new RaceFoundError(report, message);
  }

  private static String fileName(ExtensionContext context) {
    String name =
        context.getRequiredTestClass().getName() + "." + context.getRequiredTestMethod().getName();
    return name.replaceAll("[^\\w.$-]", "_") + ".html";
  }

  private static Path folder() {
    String configured = System.getProperty(FOLDER);
    if (configured != null && !configured.isBlank()) {
      return Path.of(configured);
    }
    for (String build : new String[] {"target", "build"}) {
      if (Files.isDirectory(Path.of(build))) {
        return Path.of(build, "holdfast-race");
      }
    }
    return Path.of(System.getProperty("java.io.tmpdir"), "holdfast-race");
  }
}
