package dev.holdfast.torture;

import dev.holdfast.torture.check.Checker;
import dev.holdfast.torture.check.Verdict;
import dev.holdfast.torture.check.Violation;
import dev.holdfast.torture.cluster.TortureRun;
import dev.holdfast.torture.history.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The command: runs, judges, and prints a verdict; 1 where something is violated. */
public final class Torture {
  private static final int MAX_PRINTED = 40;

  private Torture() {}

  public static void main(String[] arguments) throws Exception {
    Locale.setDefault(Locale.ROOT);
    Path home = Path.of(System.getProperty("holdfast.home", "."));
    Options options;
    if (arguments.length == 1 && arguments[0].equals("--help")) {
      System.out.println(Options.usage());
      return;
    }
    if (arguments.length == 2 && arguments[0].equals("--judge")) {
      Path folder = Path.of(arguments[1]);
      Verdict verdict = print(Checker.judge(History.readAll(folder)), folder);
      System.exit(verdict.isClean() ? 0 : 1);
    }
    try {
      options = Options.parse(arguments, home);
    } catch (IllegalArgumentException e) {
      System.err.println("torture: " + e.getMessage() + "\n" + Options.usage());
      System.exit(2);
      return;
    }
    Verdict verdict = run(options);
    System.exit(verdict.isClean() ? 0 : 1);
  }

  /** Runs and prints, and returns what was found. */
  static Verdict run(Options options) throws IOException, InterruptedException {
    return print(TortureRun.of(options).run(), options.folder());
  }

  private static Verdict print(Verdict verdict, Path folder) throws IOException {
    StringBuilder text = new StringBuilder();
    verdict.violations().stream()
        .limit(MAX_PRINTED)
        .forEach(violation -> text.append(line(violation)));
    int more = verdict.violations().size() - MAX_PRINTED;
    if (more > 0) {
      text.append("… and ").append(more).append(" more\n");
    }
    text.append(verdict.toText());
    Files.writeString(folder.resolve("verdict.txt"), text);
    System.out.print(text);
    System.out.flush();
    return verdict;
  }

  private static String line(Violation violation) {
    return "VIOLATION "
        + violation.property().label()
        + " at "
        + violation.nanos()
        + ": "
        + violation.text()
        + "\n";
  }
}
