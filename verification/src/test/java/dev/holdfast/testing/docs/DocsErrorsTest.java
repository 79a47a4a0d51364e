package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schema.SchemaException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.TransactionStateException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/errors.md} lists exactly the codes in the sources of the published modules. */
class DocsErrorsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private static final List<String> MODULES =
      List.of(
          "core",
          "cache",
          "client",
          "embedded",
          "redis",
          "servlet",
          "spring-boot",
          "webhook",
          "web",
          "server");

  /** The first words of codes. */
  private static final Set<String> CAPABILITIES =
      Set.of(
          "access",
          "cache",
          "commit",
          "database",
          "embedded",
          "event",
          "fence",
          "guard",
          "history",
          "http",
          "idempotency",
          "invalid",
          "job",
          "lease",
          "optimistic",
          "queue",
          "redis",
          "retries",
          "schedule",
          "schema",
          "server",
          "service",
          "sweep",
          "transaction",
          "webhook",
          "worker",
          "workflow");

  /** Literals that look like codes: headers, a setting, and names of services. */
  private static final Set<String> OTHERS =
      Set.of(
          "cache-control",
          "database-password",
          "idempotency-cleaner",
          "job-runner",
          "schedule-runner",
          "webhook-id",
          "webhook-signature",
          "webhook-timestamp",
          "workflow-recovery");

  private static final String CODE = "[a-z][a-z0-9]*(?:-[a-z0-9]+)+";
  private static final Pattern LITERAL = Pattern.compile("\"(" + CODE + ")(?:\"|: )");

  /** Where a literal is a code, whatever its first word. */
  private static final Pattern DECLARED =
      Pattern.compile(
          "(?:new"
              + " (?!DatabaseException)\\w*(?:Exception|HealthIssue|Issue)\\(|Problem\\.of\\(\\s*\\d+,)\\s*\"([^\""
              + " ]+)\",");

  private static final Pattern IN_EXCEPTION = Pattern.compile("\\bsuper\\(\\s*\"([^\" ]+)\",");

  private static final Pattern WARNING =
      Pattern.compile("\\bLOG\\s*\\.\\s*(?:warn|error|atLevel\\([^\"]*?\\)\\s*\\.log)\\b");
  private static final Pattern WARNING_WITH_CODE =
      Pattern.compile(
          "\\bLOG\\s*\\.\\s*(?:warn|error|atLevel\\([^\"]*?\\)\\s*\\.log)\\(\\s*\"" + CODE + ": ");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\"></a>`([^`]+)`");

  private static final Map<Path, String> SOURCES = sources();

  @Test
  void pageListsEveryCode() {
    Set<String> missing = codes();
    missing.removeAll(anchors(false));
    missing.removeAll(anchors(true));
    assertThat(missing).as("codes that are not in docs/errors.md").isEmpty();
  }

  @Test
  void everyListedCodeExists() {
    Set<String> unknown = anchors(false);
    unknown.removeAll(codes());
    assertThat(unknown).as("codes in docs/errors.md that are not in the sources").isEmpty();
  }

  @Test
  void pageListsTheProblemTypesOfTheService() {
    String types = read(ROOT.resolve("web/src/main/java/dev/holdfast/web/api/ProblemType.java"));
    Set<String> names =
        Pattern.compile("(?m)^  ([A-Z_]+)\\(\\d+,")
            .matcher(types)
            .results()
            .map(found -> kebab(found.group(1)))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(names).isNotEmpty();
    assertThat(anchors(true)).isEqualTo(names);
  }

  @Test
  void everyWarningBeginsWithItsCode() {
    List<String> wrong = new ArrayList<>();
    SOURCES.forEach(
        (path, source) -> {
          long all = WARNING.matcher(source).results().count();
          long coded = WARNING_WITH_CODE.matcher(source).results().count();
          boolean otherName =
              source.matches("(?s).*\\b(?!LOG\\b)\\w+ = LoggerFactory\\.getLogger\\(.*")
                  || source.contains("System.Logger");
          if (all != coded || otherName || source.matches("(?s).*\\bLOG::(?:warn|error)\\b.*")) {
            wrong.add(ROOT.relativize(path) + ": " + coded + " of " + all);
          }
        });
    assertThat(wrong).as("log templates at WARN and above without a literal code").isEmpty();
  }

  @Test
  void everyCodeBeginsWithACapability() {
    Set<String> codes = codes();
    codes.removeAll(anchors(true));
    assertThat(codes)
        .allMatch(code -> code.matches(CODE))
        .allMatch(code -> CAPABILITIES.contains(code.substring(0, code.indexOf('-'))));
  }

  private static Set<String> codes() {
    Set<String> codes = new TreeSet<>();
    for (Map.Entry<Path, String> file : SOURCES.entrySet()) {
      String source = file.getValue();
      Matcher literals = LITERAL.matcher(source);
      while (literals.find()) {
        String literal = literals.group(1);
        if (CAPABILITIES.contains(literal.substring(0, literal.indexOf('-')))) {
          codes.add(literal);
        }
      }
      DECLARED.matcher(source).results().map(found -> found.group(1)).forEach(codes::add);
      if (file.getKey().toString().endsWith("Exception.java")) {
        IN_EXCEPTION.matcher(source).results().map(found -> found.group(1)).forEach(codes::add);
      }
      WARNING_WITH_CODE
          .matcher(source)
          .results()
          .map(found -> found.group().replaceAll("(?s).*\"(.*): ", "$1"))
          .forEach(codes::add);
    }
    assertThat(codes).containsAll(OTHERS);
    codes.removeAll(OTHERS);
    addAll(codes, "database-", SqlError.values());
    addAll(codes, "transaction-", TransactionStateException.Reason.values());
    for (SchemaException.Reason reason : SchemaException.Reason.values()) {
      codes.add(reason.code());
    }
    return codes;
  }

  private static void addAll(Set<String> codes, String prefix, Enum<?>[] reasons) {
    Arrays.stream(reasons).map(reason -> prefix + kebab(reason.name())).forEach(codes::add);
  }

  private static String kebab(String constant) {
    return constant.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The codes that the page lists: the problem types of the service, or all others. */
  private static Set<String> anchors(boolean problems) {
    String prefix = "problem-";
    Set<String> listed = new TreeSet<>();
    Matcher anchors = ANCHOR.matcher(read(ROOT.resolve("docs/errors.md")));
    while (anchors.find()) {
      String anchor = anchors.group(1);
      boolean isProblem = anchor.startsWith(prefix);
      String code = isProblem ? anchor.substring(prefix.length()) : anchor;
      assertThat(anchors.group(2)).isEqualTo(code);
      if (isProblem == problems) {
        assertThat(listed.add(code)).as("%s is listed once", code).isTrue();
      }
    }
    assertThat(listed).isNotEmpty();
    return listed;
  }

  private static Map<Path, String> sources() {
    Map<Path, String> sources = new TreeMap<>();
    for (String module : MODULES) {
      try (Stream<Path> all = Files.walk(ROOT.resolve(module + "/src/main/java"))) {
        all.filter(path -> path.toString().endsWith(".java"))
            .forEach(path -> sources.put(path, read(path)));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return sources;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
