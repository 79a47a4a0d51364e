package dev.holdfast.race;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How far an exploration has come is told, and so it is when there is no time for all of it. */
final class CoverageIT {
  private Counter counter;

  @BeforeEach
  void open() {
    counter = Counter.onPostgreSql();
    counter.schema().execute("create table seen(line varchar(20))");
  }

  @AfterEach
  void close() {
    counter.close();
  }

  /** Sees the counter before, between and never after: only after two preemptions. */
  private Race withABugOfTwoPreemptions() {
    return counter
        .race()
        .actor(
            "Ana",
            ds -> {
              long before = Counter.number(ds, Counter.LOOK);
              long after = Counter.number(ds, Counter.LOOK);
              if (before == 0 && after == 1) {
                Counter.run(ds, "insert into seen values ('half')");
              }
            })
        .actor(
            "Ben",
            ds -> {
              Counter.up(ds);
              Counter.up(ds);
            })
        .invariant("nobody sees the half of it", "select count(*) = 0 from seen");
  }

  @Test
  void lowBoundFindsNothingAndSaysSo() {
    for (int bound = 0; bound < 2; bound++) {
      RaceReport report = withABugOfTwoPreemptions().maxPreemptions(bound).explore();

      assertThat(report.hasFinding()).as(report.text()).isFalse();
      assertThat(report.isExhaustive()).as(report.text()).isFalse();
      assertThat(report.preemptionBound()).as(report.text()).hasValue(bound);
      assertThat(report.text().replaceAll("\\s+", " "))
          .contains(
              "not all interleavings are covered, only those with up to " + bound + " preemption")
          .doesNotContain("random");
    }
  }

  @Test
  void aBoundThatIsHighEnoughFindsIt() {
    RaceReport report = withABugOfTwoPreemptions().maxPreemptions(2).explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.INVARIANT_VIOLATED);
  }

  @Test
  void aBoundAboveAllThatIsNeededIsExhausted() {
    RaceReport report = counter.fair().maxPreemptions(20).explore();

    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).as(report.text()).isTrue();
    assertThat(report.preemptionBound().orElseThrow()).isLessThan(20);
  }

  /** Reads often; what it has seen are many values only if the others often go in between. */
  private static int valuesSeen(DataSource ds, int reads) throws SQLException {
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < reads; i++) {
      seen.add(Counter.number(ds, Counter.LOOK));
    }
    return seen.size();
  }

  private RaceReport longOnes(Duration budget, long seed) {
    return counter
        .race()
        .actor(
            "Ana",
            ds -> {
              if (valuesSeen(ds, 16) >= 4) {
                Counter.run(ds, "insert into seen values ('much')");
              }
            })
        .actor(
            "Ben",
            ds -> {
              for (int i = 0; i < 16; i++) {
                Counter.up(ds);
              }
            })
        .invariant("nobody sees much", "select count(*) = 0 from seen")
        .timeLimit(budget)
        .seed(seed)
        .explore();
  }

  /** It takes six preemptions, and all orders with three of them are many thousands. */
  @Test
  void exploresRestAtRandom() {
    Duration budget = Duration.ofSeconds(2);
    RaceReport report = longOnes(budget, 7);
    while (!report.hasFinding() && budget.toSeconds() < 60) {
      // a slow machine gets on only slowly
      assertThat(report.text()).contains("not ");
      budget = budget.multipliedBy(3);
      report = longOnes(budget, 7);
    }

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.INVARIANT_VIOLATED);
    assertThat(report.text())
        .containsPattern("stopped at the finding, and \\d+ random runs\\s+with\\s+seed\\s+7")
        .containsPattern("reproduced\\s+(\\d+)/\\1;");
  }
}
