package dev.holdfast.race.guide;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.RaceReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A report that stands in the guide, between {@code <!-- report NAME -->} and the end of the code
 * after it. It must be what the code of the guide gives, up to its fixes: what comes below has
 * times in it. {@code -Dguide.update} writes it anew, and the page to {@code target/guide}, of
 * which the picture is taken.
 */
record GuideReport(String name) {
  private static final Path GUIDE = Path.of("../docs/guides/races.md");
  private static final Path PAGES = Path.of("target/guide");
  private static final String FENCE = "```";

  static GuideReport of(String name) {
    return new GuideReport(name);
  }

  void check(RaceReport report) {
    try {
      String guide = Files.readString(GUIDE, UTF_8);
      String mark = "<!-- report " + name + " -->\n" + FENCE + "\n";
      int from = guide.indexOf(mark) + mark.length();
      int to = guide.indexOf(FENCE, from);
      if (System.getProperty("guide.update") != null) {
        Files.writeString(GUIDE, guide.substring(0, from) + report.text() + guide.substring(to));
        Files.createDirectories(PAGES);
        Files.writeString(PAGES.resolve(name + ".html"), report.html());
      } else {
        assertThat(lasting(guide.substring(from, to)))
            .as("the guide shows this report; -Dguide.update writes it anew")
            .isEqualTo(lasting(report.text()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String lasting(String report) {
    int times = report.indexOf(report.contains("\n  fixes") ? "\n  fixes" : "\n  explored");
    return times < 0 ? report : report.substring(0, times);
  }
}
