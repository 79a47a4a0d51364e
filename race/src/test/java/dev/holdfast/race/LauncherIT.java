package dev.holdfast.race;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Tests of users, as JUnit runs them. */
final class LauncherIT {
  private static Counter counter;

  @BeforeAll
  static void open() {
    counter = Counter.on(TestDatabase.h2());
  }

  @AfterAll
  static void close() {
    counter.close();
  }

  /** What became of each test of a class. */
  record Results(Map<String, Optional<Throwable>> byTest) {
    /** Why this one failed. */
    Throwable failure(String test) {
      return Optional.ofNullable(byTest.get(test))
          .flatMap(result -> result)
          .orElseThrow(() -> new AssertionError(test + " did not fail: " + byTest));
    }

    Set<String> passed() {
      return byTest.entrySet().stream()
          .filter(result -> result.getValue().isEmpty())
          .map(Map.Entry::getKey)
          .collect(Collectors.toSet());
    }
  }

  private static Results run(Class<?> tests) {
    Map<String, Optional<Throwable>> results = new LinkedHashMap<>();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(tests))
                .build(),
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                  results.put(test.getDisplayName().replaceAll("\\(.*", ""), result.getThrowable());
                }
              }
            });
    return new Results(results);
  }

  static final class Losing {
    static final DataSource DATA_SOURCE = counter.dataSource();

    @RaceTest
    void counts(Race race) {
      race.actors(2, Counter::upByReading).explore();
    }

    @RaceTest
    void countsUnderAName(Race race) {
      race.name("the visitors of a page").actors(2, Counter::upByReading).explore();
    }

    @CrashTest
    void crashes(Crash crash) {
      crash.operation(Counter::up).explore();
    }
  }

  static final class Mixed {
    final DataSource dataSource = counter.dataSource();

    @CrashTest
    void crashes(Race race) {
      race.actors(2, Counter::up).explore();
    }

    @RaceTest
    void races(Crash crash) {
      crash.operation(Counter::up).explore();
    }
  }

  @Test
  void aTestTakesWhatItsAnnotationSays() {
    Results results = run(Mixed.class);

    assertThat(results.failure("crashes")).rootCause().hasMessageContaining("write @RaceTest");
    assertThat(results.failure("races")).rootCause().hasMessageContaining("write @CrashTest");
  }

  @Test
  void aTestIsCalledAsItSaysOrByItsMethod() {
    Results results = run(Losing.class);

    assertThat(results.failure("counts")).hasMessageContaining("LOST UPDATE  Losing.counts  (");
    assertThat(results.failure("countsUnderAName"))
        .hasMessageContaining("LOST UPDATE  the visitors of a page  (");
  }

  @Test
  void aCrashTestIsReplayedAsOne() {
    assertThat(run(Losing.class).failure("crashes"))
        .hasMessageContaining("@CrashTest(replay =")
        .message()
        .doesNotContain("isolation ");
  }

  @Test
  void failureShowsReportAndWritesPage() throws Exception {
    Throwable failure = run(Losing.class).failure("counts");

    assertThat(failure)
        .isInstanceOf(RaceFoundError.class)
        .hasMessageContainingAll("LOST UPDATE", "Losing.counts", "replay", "@RaceTest(replay =");
    assertThat(((RaceFoundError) failure).report().anomaly()).contains("LOST UPDATE");
    Matcher page = Pattern.compile("HTML report: (.*)").matcher(failure.getMessage());
    assertThat(page.find()).isTrue();
    assertThat(Files.readString(Path.of(page.group(1)), UTF_8))
        .startsWith("<!")
        .contains("LOST UPDATE");
  }

  static final class Fair {
    final DataSource dataSource = counter.dataSource();

    @RaceTest
    void counts(Race race) {
      race.actors(2, Counter::up).explore();
    }

    @RaceTest
    void countsAfterAQuestion(TestInfo info, Race race) {
      race.name(info.getDisplayName()).actors(2, Counter::up).explore();
    }

    @CrashTest
    void sets(Crash crash) {
      crash.operation(ds -> Counter.run(ds, "update counter set n = 7")).explore();
    }
  }

  @Test
  void testsThatFindNothingPass() {
    assertThat(run(Fair.class).passed())
        .containsExactlyInAnyOrder("counts", "countsAfterAQuestion", "sets");
  }

  static final class CountingTwice {
    final DataSource dataSource = counter.dataSource();

    @CrashTest
    void counts(Crash crash) {
      crash.operation(Counter::up).explore();
    }
  }

  @Test
  void aCrashTestThatFailsShowsTheReport() {
    assertThat(run(CountingTwice.class).failure("counts"))
        .isInstanceOf(RaceFoundError.class)
        .hasMessageContainingAll("CountingTwice.counts", "@CrashTest(replay =");
  }

  static final class Forgetful {
    final DataSource dataSource = counter.dataSource();

    @RaceTest
    void forgetsToExplore(Race race) {
      race.actors(2, Counter::upByReading);
    }

    @RaceTest
    void takesNoRace() {
      Race.create(dataSource).actors(2, Counter::upByReading).explore();
    }

    @RaceTest
    void failsItself(Race race) {
      race.actors(2, Counter::up);
      throw new IllegalStateException("before it could explore");
    }
  }

  @Test
  void aTestThatExploresNothingFails() {
    Results results = run(Forgetful.class);

    assertThat(results.failure("forgetsToExplore"))
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContainingAll("nothing was explored", "end with .explore()");
    assertThat(results.failure("takesNoRace"))
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContainingAll("nothing was explored", "take a Race");
    assertThat(results.failure("failsItself")).hasMessageContaining("before it could");
  }

  /** An annotation of a user. */
  @RaceTest(replay = "HF1-A1")
  @Retention(RetentionPolicy.RUNTIME)
  @interface Again {}

  static final class Replaying {
    final DataSource dataSource = counter.dataSource();

    @RaceTest(replay = "HF1-A3B3-S00")
    void byItself(Race race) {
      race.actors(2, Counter::upByReading).explore();
    }

    @Again
    void byAnother(Race race) {
      race.actors(2, Counter::upByReading).explore();
    }

    @CrashTest(replay = "rubbish")
    void aCrash(Crash crash) {
      crash.operation(Counter::up).explore();
    }
  }

  @Test
  void theTokenOfTheAnnotationIsReplayed() {
    Results results = run(Replaying.class);

    assertThat(results.failure("byItself"))
        .hasMessageContaining("the replay token no longer matches the code");
    assertThat(results.failure("byAnother")).hasMessageContaining("'HF1-A1' is no");
    assertThat(results.failure("aCrash")).hasMessageContaining("'rubbish' is no");
  }

  abstract static class Base {
    @Nullable DataSource inherited;

    @BeforeEach
    void setUp() {
      inherited = RaceDataSource.wrap(counter.dataSource());
    }

    boolean isSetUp() {
      return inherited != null;
    }
  }

  static final class Extending extends Base {
    @RaceTest
    void outside(Race race) {
      race.actors(2, Counter::up).explore();
    }

    @Nested
    class Inside {
      @RaceTest
      void inside(Race race) {
        race.actors(2, Counter::up).explore();
      }
    }

    @Nested
    class WithItsOwn {
      final DataSource own = counter.dataSource();

      @RaceTest
      void withItsOwn(Race race) {
        race.actors(2, Counter::up).explore();
      }
    }
  }

  @Test
  void findsDataSourceOfBaseAndOuterClass() {
    assertThat(run(Extending.class).passed())
        .containsExactlyInAnyOrder("outside", "inside", "withItsOwn");
  }

  static final class WithTwo {
    final DataSource one = counter.dataSource();
    final DataSource other = counter.schema().unpooled();

    @RaceTest
    void doesNotSay(Race race) {
      race.actors(2, Counter::up).explore();
    }

    @RaceTest
    void says(Race race) {
      race.dataSource(one.equals(other) ? other : one).actors(2, Counter::up).explore();
    }
  }

  static final class WithAWrappedOne {
    final DataSource real = counter.dataSource();
    final RaceDataSource wrapped = RaceDataSource.wrap(real);

    @RaceTest
    void counts(Race race) {
      race.actors(2, ds -> Counter.up(wrapped)).explore();
    }
  }

  static final class WithNone {
    @Nullable DataSource nothing;

    @RaceTest
    void counts(Race race) {
      race.actors(2, Counter::up).explore();
    }

    @RaceTest
    void setsIt(Race race) {
      nothing = counter.dataSource();
      race.actors(2, Counter::up).explore();
    }
  }

  @Test
  void oneDataSourceMustBeThere() {
    Results two = run(WithTwo.class);
    Results none = run(WithNone.class);

    assertThat(two.failure("doesNotSay"))
        .isInstanceOf(RaceSetupException.class)
        .hasMessage(
            "WithTwo has several data sources (one, other): choose one with"
                + " race.dataSource(dataSource)");
    assertThat(two.passed()).containsExactly("says");
    assertThat(run(WithAWrappedOne.class).passed()).containsExactly("counts");
    assertThat(none.failure("counts"))
        .isInstanceOf(RaceSetupException.class)
        .hasMessageContaining("is null: set it before the test");
    assertThat(none.passed()).containsExactly("setsIt");
  }

  static final class AskingTooEarly {
    final DataSource dataSource = counter.dataSource();

    @BeforeEach
    void setUp(Race race) {
      race.given("update counter set n = 1");
    }

    @RaceTest
    void counts(Race race) {
      race.dataSource(dataSource).actors(2, Counter::up).explore();
    }
  }

  @Test
  void onlyTheTestItselfGetsARace() {
    assertThat(run(AskingTooEarly.class).failure("counts"))
        .hasMessageContainingAll("No ParameterResolver", "Race");
  }
}
