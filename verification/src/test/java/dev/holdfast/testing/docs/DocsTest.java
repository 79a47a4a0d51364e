package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The documents hold: their snippets stand in code that is compiled and run, their links lead on.
 */
class DocsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern SNIPPET = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)(?:#[^)]*)?\\)");
  private static final Pattern ANCHOR_LINK = Pattern.compile("\\]\\(([^)#:]*)#([^)]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
  private static final Pattern EXPLICIT_ANCHOR = Pattern.compile("<a id=\"([^\"]+)\"");

  @Test
  void everySnippetStandsInAnExampleThatIsRun() {
    StringBuilder code = new StringBuilder();
    for (String module :
        List.of(
            "testing",
            "verification",
            "client",
            "race",
            "redis",
            "cache",
            "servlet",
            "spring-boot")) {
      code.append(read(files(module + "/src/test/java", ".java")));
    }
    String examples = compact(code.toString());
    List<String> strangers = new ArrayList<>();
    for (Path document : documents()) {
      Matcher snippets = SNIPPET.matcher(read(List.of(document)));
      while (snippets.find()) {
        for (String paragraph : snippets.group(1).split("\\n\\s*\\n", -1)) {
          if (!examples.contains(compact(paragraph))) {
            strangers.add(ROOT.relativize(document) + ":\n" + paragraph);
          }
        }
      }
    }
    assertThat(strangers).as("snippets that stand in no example").isEmpty();
  }

  @Test
  void everyLinkLeadsToAFile() {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      Matcher links = LINK.matcher(read(List.of(document)));
      while (links.find()) {
        String target = links.group(1);
        if (!target.contains("://") && !Files.exists(document.resolveSibling(target))) {
          broken.add(ROOT.relativize(document) + " -> " + target);
        }
      }
    }
    assertThat(broken).as("links that lead nowhere").isEmpty();
  }

  @Test
  void everyAnchorExists() {
    List<String> broken = new ArrayList<>();
    for (Path document : documents()) {
      Matcher links = ANCHOR_LINK.matcher(read(List.of(document)));
      while (links.find()) {
        Path target = links.group(1).isEmpty() ? document : document.resolveSibling(links.group(1));
        if (target.toString().endsWith(".md") && Files.exists(target)) {
          if (!anchors(read(List.of(target))).contains(links.group(2))) {
            broken.add(ROOT.relativize(document) + " -> " + links.group());
          }
        }
      }
    }
    assertThat(broken).as("links to headings that do not exist").isEmpty();
  }

  /** The anchors of headings as GitHub makes them, and explicit ones. */
  private static Set<String> anchors(String text) {
    Set<String> anchors = new HashSet<>();
    Matcher headings = HEADING.matcher(text);
    while (headings.find()) {
      String heading = headings.group(1).toLowerCase(Locale.ROOT).strip();
      anchors.add(heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'));
    }
    EXPLICIT_ANCHOR.matcher(text).results().map(found -> found.group(1)).forEach(anchors::add);
    return anchors;
  }

  private static List<Path> documents() {
    List<Path> documents = new ArrayList<>(files("docs", ".md"));
    try (Stream<Path> top = Files.list(ROOT)) {
      top.filter(path -> path.toString().endsWith(".md")).forEach(documents::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    assertThat(documents).isNotEmpty();
    return documents;
  }

  private static List<Path> files(String folder, String ending) {
    try (Stream<Path> all = Files.walk(ROOT.resolve(folder))) {
      return all.filter(path -> path.toString().endsWith(ending)).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(List<Path> files) {
    StringBuilder text = new StringBuilder();
    for (Path file : files) {
      try {
        text.append(Files.readString(file)).append('\n');
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return text.toString();
  }

  /**
   * Without white space and line comments: the formatter breaks lines where the document does not.
   */
  private static String compact(String code) {
    return code.replaceAll("(?m)//.*$", "").replaceAll("\\s+", "");
  }
}
