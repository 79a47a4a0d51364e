package dev.holdfast.race.internal.jdbc;

import dev.holdfast.race.internal.model.Step;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where in the code under test a call comes from. */
public final class SourceLines {
  private static final StackWalker WALKER = StackWalker.getInstance();

  /** What stands between the code and its connections. */
  private static final List<String> OTHERS =
      List.of(
          "java.",
          "javax.",
          "jakarta.",
          "jdk.",
          "sun.",
          "com.sun.",
          "kotlin.",
          "org.postgresql.",
          "org.mariadb.",
          "com.mysql.",
          "org.h2.",
          "com.zaxxer.",
          "io.agroal.",
          "org.apache.commons.dbcp2.",
          "org.apache.tomcat.",
          "net.ttddyy.",
          "com.p6spy.",
          "org.springframework.",
          "org.hibernate.",
          "org.jooq.",
          "org.jdbi.",
          "org.apache.ibatis.",
          "org.mybatis.",
          "org.aspectj.",
          "net.bytebuddy.",
          "io.micrometer.",
          "org.junit.",
          "org.apache.maven.",
          "dev.holdfast.transaction.",
          "dev.holdfast.internal.",
          "dev.holdfast.guard.",
          "dev.holdfast.event.",
          "dev.holdfast.schedule.",
          "dev.holdfast.race.internal.");

  private static final List<String> OURS =
      List.of(
          "dev.holdfast.race.Race",
          "dev.holdfast.race.Crash",
          "dev.holdfast.race.Exploring",
          "dev.holdfast.race.RaceDataSource");

  private static final int MAX_LINES = 4;

  private SourceLines() {}

  /**
   * The lines of code that have led here, the innermost first: {@code Sql.java:7 <
   * Coupons.java:41}. A helper's own line says little without them.
   */
  public static @Nullable String caller() {
    String lines =
        WALKER.walk(
            frames ->
                frames
                    .filter(frame -> frame.getLineNumber() > 0 && isOfCode(frame.getClassName()))
                    .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                    .limit(MAX_LINES)
                    .collect(Collectors.joining(Step.CALLED_BY)));
    return lines.isEmpty() ? null : lines;
  }

  /** Whether it is code under test, and not of a driver, a framework or Holdfast. */
  public static boolean isOfCode(String className) {
    int nested = className.indexOf('$');
    String outer = nested < 0 ? className : className.substring(0, nested);
    if (outer.endsWith("Test") || outer.endsWith("IT")) {
      return true;
    }
    // a class that a framework has made of another one has two of them in its name
    return !className.contains("$$")
        && !OURS.contains(outer)
        && OTHERS.stream().noneMatch(className::startsWith);
  }
}
