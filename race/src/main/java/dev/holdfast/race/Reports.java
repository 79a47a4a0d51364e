package dev.holdfast.race;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Tells of a report in a test: in the terminal and, if something was found, as a page beside the
 * other results of the build.
 */
final class Reports {
  private static final String FOLDER = "holdfast.race.reports";

  private Reports() {}

  static void tell(RaceReport report, ExtensionContext context) {
    if (!report.found()) {
      System.out.println(report.text());
      return;
    }
    String message = "\n" + report.text();
    try {
      Path page = folder().resolve(fileName(context));
      Files.createDirectories(page.getParent());
      Files.writeString(page, report.html(), UTF_8);
      message += "\n  as a page: " + page.toAbsolutePath() + "\n";
    } catch (IOException notWritten) {
      message += "\n  the page could not be written: " + notWritten + "\n";
    }
    throw new RaceFoundError(report, message);
  }

  private static String fileName(ExtensionContext context) {
    String name =
        context.getRequiredTestClass().getName() + "." + context.getRequiredTestMethod().getName();
    return name.replaceAll("[^\\w.$-]", "_") + ".html";
  }

  private static Path folder() {
    String asked = System.getProperty(FOLDER);
    if (asked != null && !asked.isBlank()) {
      return Path.of(asked);
    }
    for (String build : new String[] {"target", "build"}) {
      if (Files.isDirectory(Path.of(build))) {
        return Path.of(build, "holdfast-race");
      }
    }
    return Path.of(System.getProperty("java.io.tmpdir"), "holdfast-race");
  }
}
