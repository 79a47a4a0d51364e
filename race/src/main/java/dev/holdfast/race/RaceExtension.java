package dev.holdfast.race;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Gives tests their race or crash, and fails them where something is found. */
final class RaceExtension implements ParameterResolver, AfterTestExecutionCallback {
  private static final Namespace NAMESPACE = Namespace.create(RaceExtension.class);

  /** All that a test was given. */
  private static final class Given {
    private final List<Exploring> explorings = new ArrayList<>();
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Race.class || type == Crash.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Exploring exploring =
        new Exploring(
            context.getRequiredTestClass().getSimpleName() + "." + context.getDisplayName(),
            report -> Reports.tell(report, context));
    TestDataSources.of(context).ifPresent(exploring::use);
    given(context).explorings.add(exploring);
    return parameter.getParameter().getType() == Race.class
        ? new Race(exploring).replay(replay(context))
        : new Crash(exploring).replay(replay(context));
  }

  private static String replay(ExtensionContext context) {
    RaceTest race = context.getRequiredTestMethod().getAnnotation(RaceTest.class);
    CrashTest crash = context.getRequiredTestMethod().getAnnotation(CrashTest.class);
    return race != null ? race.replay() : crash != null ? crash.replay() : "";
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    boolean forgotten = given(context).explorings.stream().anyMatch(each -> !each.explored());
    if (forgotten && context.getExecutionException().isEmpty()) {
      throw new RaceSetupException(
          "nothing was explored: end with .explore(), or the test cannot fail", null);
    }
  }

  @SuppressWarnings("deprecation") // its successor is not in JUnit 5
  private static Given given(ExtensionContext context) {
    return Objects.requireNonNull(
        context
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(context.getUniqueId(), id -> new Given(), Given.class));
  }
}
