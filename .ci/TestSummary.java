import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * The end of {@code ./holdfast test}: failures in full, counts, and why tests were skipped, from
 * the XML reports of Surefire and Failsafe that are newer than a file.
 */
final class TestSummary {
  private static final int STACK_LINES = 40;

  private final Map<String, Integer> skipped = new TreeMap<>();
  private final List<String> failures = new ArrayList<>();
  private int run;
  private int failed;

  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]);
    FileTime since = Files.getLastModifiedTime(Path.of(arguments[1]));
    TestSummary summary = new TestSummary();
    for (Path report : reports(home, since)) {
      summary.add(home.relativize(report).getName(0).toString(), report);
    }
    summary.print(arguments[2]);
  }

  private static List<Path> reports(Path home, FileTime since) throws IOException {
    List<Path> reports = new ArrayList<>();
    try (Stream<Path> modules = Files.list(home)) {
      for (Path module : modules.sorted().toList()) {
        for (String kind : List.of("surefire-reports", "failsafe-reports")) {
          Path folder = module.resolve("target").resolve(kind);
          if (!Files.isDirectory(folder)) {
            continue;
          }
          try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
              if (file.getFileName().toString().matches("TEST-.*\\.xml")
                  && Files.getLastModifiedTime(file).compareTo(since) >= 0) {
                reports.add(file);
              }
            }
          }
        }
      }
    }
    return reports;
  }

  private void add(String module, Path report) throws Exception {
    DocumentBuilder parser = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    NodeList tests;
    try {
      tests = parser.parse(report.toFile()).getElementsByTagName("testcase");
    } catch (org.xml.sax.SAXException e) {
      failed++;
      failures.add("FAILED %s: unreadable report, so its JVM has ended early".formatted(report));
      return;
    }
    for (int i = 0; i < tests.getLength(); i++) {
      add(module, (Element) tests.item(i));
    }
  }

  private void add(String module, Element test) {
    run++;
    Element skip = child(test, "skipped");
    Element failure = child(test, "failure");
    Element error = child(test, "error");
    if (skip != null) {
      String message = skip.getAttribute("message");
      skipped.merge(
          reason(test, message.isEmpty() ? skip.getTextContent() : message), 1, Integer::sum);
    } else if (failure != null || error != null) {
      failed++;
      String text = (failure == null ? error : failure).getTextContent().strip();
      List<String> lines = text.lines().toList();
      StringBuilder full = new StringBuilder();
      full.append("FAILED ").append(name(test)).append(" (").append(module);
      full.append(", ").append(test.getAttribute("time")).append(" s)");
      lines.stream().limit(STACK_LINES).forEach(line -> full.append("\n    ").append(line));
      if (lines.size() > STACK_LINES) {
        full.append("\n    ... and %d more lines".formatted(lines.size() - STACK_LINES));
      }
      failures.add(full.toString());
    }
  }

  /** Why a test was skipped, without what differs from test to test. */
  private static String reason(Element test, String message) {
    String text =
        message
            .strip()
            .replaceFirst("^[A-Za-z0-9.]*(AbortedException|AssumptionViolatedException): *", "")
            .replaceFirst("^Assumption failed: *", "")
            .replaceFirst("(?s)^.*?assumption was not met due to: \\[([^\\]]*)\\].*", "$1")
            .lines()
            .findFirst()
            .orElse("");
    String variable = text.replaceFirst(".*\\bor (HOLDFAST_TEST_[A-Z0-9]+_URL).*", "$1");
    if (!variable.equals(text)) {
      String kind = text.replaceFirst("^There is no embedded ([A-Za-z0-9]+).*", "$1");
      return "no %s server (set %s)".formatted(kind.equals(text) ? "such" : kind, variable);
    }
    if (text.contains("is left out by -Dholdfast.test.databases")) {
      return "on a database that this run leaves out";
    }
    return text.isEmpty() ? "no reason given, such as " + name(test) : text;
  }

  private static String name(Element test) {
    String name = test.getAttribute("name");
    return test.getAttribute("classname") + (name.isEmpty() ? "" : "." + name);
  }

  private static Element child(Element parent, String name) {
    NodeList children = parent.getElementsByTagName(name);
    return children.getLength() == 0 ? null : (Element) children.item(0);
  }

  private void print(String duration) {
    for (String failure : failures) {
      System.out.println("\n" + failure);
    }
    int skips = skipped.values().stream().mapToInt(Integer::intValue).sum();
    System.out.printf(
        "%n%,d tests in %s: %,d passed, %,d failed, %,d skipped%n",
        run, duration, run - failed - skips, failed, skips);
    skipped.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .forEach(
            reason -> System.out.printf("  %,d skipped: %s%n", reason.getValue(), reason.getKey()));
  }
}
