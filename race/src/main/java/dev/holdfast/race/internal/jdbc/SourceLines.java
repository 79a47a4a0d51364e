package dev.holdfast.race.internal.jdbc;

import java.util.List;
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
          "dev.holdfast.sql.",
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

  private SourceLines() {}

  /** The line of code that has led here, as {@code Coupons.java:41}. */
  public static @Nullable String caller() {
    return WALKER.walk(
        frames ->
            frames
                .filter(frame -> frame.getLineNumber() > 0 && isOfCode(frame.getClassName()))
                .findFirst()
                .map(frame -> frame.getFileName() + ":" + frame.getLineNumber())
                .orElse(null));
  }

  /** Whether it is code of the one who tests, and not of a driver, a framework or ours. */
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
