package dev.holdfast.race;

import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Resolves the {@link Race} or {@link Crash} parameter and fails tests that explore nothing. */
final class RaceExtension implements ParameterResolver, AfterTestExecutionCallback {
  private static final Namespace NAMESPACE = Namespace.create(RaceExtension.class);

  private static final Pattern PARAMETERS = Pattern.compile("\\((Race|Crash)\\)$");

  /** The parameters of one test. */
  private static final class Given {
    private final List<ExplorationSession> explorings = new ArrayList<>();
  }

  /** Only test methods have these parameters, not lifecycle methods. */
  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return (type == Race.class || type == Crash.class)
        && context.getTestMethod().stream().anyMatch(parameter.getDeclaringExecutable()::equals);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ExplorationSession exploring =
        new ExplorationSession(
            context.getRequiredTestClass().getSimpleName() + "." + nameOf(context),
            report -> Reports.publish(report, context),
            () -> TestDataSources.of(context.getRequiredTestInstances().getAllInstances()));
    given(context).explorings.add(exploring);
    boolean race = parameter.getParameter().getType() == Race.class;
    Require.that(
        !race || annotation(context, CrashTest.class).isEmpty(),
        "a @CrashTest takes a Crash; write @RaceTest to have a Race");
    Require.that(
        race || annotation(context, RaceTest.class).isEmpty(),
        "a @RaceTest takes a Race; write @CrashTest to have a Crash");
    return parameter.getParameter().getType() == Race.class
        ? new Race(exploring).replay(replay(context))
        : new Crash(exploring).replay(replay(context));
  }

  private static String nameOf(ExtensionContext context) {
    return PARAMETERS.matcher(context.getDisplayName()).replaceFirst("");
  }

  private static String replay(ExtensionContext context) {
    return annotation(context, RaceTest.class)
        .map(RaceTest::replay)
        .or(() -> annotation(context, CrashTest.class).map(CrashTest::replay))
        .orElse("");
  }

  /** An annotation of the method, also as a meta-annotation. */
  private static <A extends Annotation> Optional<A> annotation(
      ExtensionContext context, Class<A> type) {
    A direct = context.getRequiredTestMethod().getAnnotation(type);
    if (direct != null) {
      return Optional.of(direct);
    }
    for (Annotation other : context.getRequiredTestMethod().getAnnotations()) {
      A composed = other.annotationType().getAnnotation(type);
      if (composed != null) {
        return Optional.of(composed);
      }
    }
    return Optional.empty();
  }

  @Override
  public void afterTestExecution(ExtensionContext context) {
    if (context.getExecutionException().isPresent()) {
      return;
    }
    List<ExplorationSession> explorings = given(context).explorings;
    Require.that(
        !explorings.isEmpty(),
        "nothing was explored: take a Race or a Crash as a parameter, as in @RaceTest void"
            + " test(Race race), and end with .explore()");
    Require.that(
        explorings.stream().allMatch(ExplorationSession::explored),
        "nothing was explored: end with .explore(), or the test cannot fail");
  }

  @SuppressWarnings("deprecation") // its successor is not in JUnit 5
  private static Given given(ExtensionContext context) {
    return Objects.requireNonNull(
        context
            .getStore(NAMESPACE)
            .getOrComputeIfAbsent(context.getUniqueId(), id -> new Given(), Given.class));
  }
}
