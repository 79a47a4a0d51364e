package dev.holdfast.race.internal.report;

import static dev.holdfast.race.internal.report.Story.outcome;
import static dev.holdfast.race.internal.report.Story.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.RunRecord;
import dev.holdfast.race.internal.model.StepResult;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReportTest {
  private static final String HOSTILE =
      "<script>alert('x')</script>\"&\u001b[31m\u202eevil\u0000 日本 🦊 \n--";

  static Stream<Story> stories() {
    return Stream.of(
        Stories.lostUpdate(),
        Stories.threeRedeem(),
        Stories.doubleSpend(),
        Stories.writeSkew(),
        Stories.deadlock(),
        Stories.crash(),
        hostile());
  }

  private static Story hostile() {
    StepResult many = StepResult.query();
    IntStream.range(0, 70)
        .forEach(
            i -> {
              StepResult.RowRead row = many.nextRow();
              for (int column = 0; column < 9; column++) {
                row.labels().add(HOSTILE);
                row.values().add(column == 0 ? "NULL" : "'" + HOSTILE + "'");
              }
            });
    String[] rows = IntStream.range(0, 500).mapToObj(i -> i + "," + HOSTILE).toArray(String[]::new);
    return new Story("Ana " + HOSTILE, "Ben", "Cleo", "Dan")
        .kind(Finding.Kind.INVARIANT_VIOLATED, HOSTILE)
        .end(RunRecord.End.COMPLETE, HOSTILE)
        .queries(0, many, "SELECT '" + HOSTILE + "' FROM t WHERE a = ?", "'" + HOSTILE + "'")
        .changes(1, 1, "UPDATE t SET a = '" + "x?".repeat(5000) + "' WHERE b = ?", "'🦊'")
        .batch(2, 4, "INSERT INTO t (a, b) VALUES (?, ?)", "1", "2", "3", "4")
        .point(3, HOSTILE)
        .fails(3, new IllegalStateException(HOSTILE), "DELETE FROM t")
        .fails(3, new IllegalStateException(), "DELETE FROM t")
        .commits(1)
        .effect(0, HOSTILE)
        .expected(outcome(List.of(HOSTILE, "", "", ""), table("t", "a,b", rows)), HOSTILE, "Ben")
        .got(outcome(List.of("", HOSTILE, "", ""), table("t", "a,b", "1," + HOSTILE)))
        .remarks(List.of(HOSTILE), List.of(HOSTILE));
  }

  @ParameterizedTest
  @MethodSource("stories")
  void textFitsWidthAndIsPrintable(Story story) {
    String text = TextReport.of(story.found());
    assertThat(text.lines()).allSatisfy(line -> assertThat(Columns.length(line)).isLessThan(121));
    assertThat(text.lines().map(String::stripTrailing).toList()).isEqualTo(text.lines().toList());
    assertThat(text).doesNotContainPattern("[\\p{Cntrl}&&[^\n]]").doesNotContain("\u202e");
  }

  @ParameterizedTest
  @MethodSource("stories")
  void thePageIsWholeAndHasNothingFromOutside(Story story) {
    String page = HtmlReport.of(story.found());
    assertThat(page).startsWith("<!doctype html>").endsWith("</html>\n");
    assertThat(page).doesNotContain("<script", "http://", "https://", "@import", "src=", "url(");
    assertThat(page).doesNotContainPattern("[\\p{Cntrl}&&[^\n]]").doesNotContain("\u202e");
    for (String tag : List.of("div", "section", "code", "span", "li", "p", "details", "table")) {
      assertThat(page.split("<" + tag + "[ >]", -1))
          .as(tag)
          .hasSameSizeAs(page.split("</" + tag + ">", -1));
    }
  }

  @Test
  void hugeStatementsAndManyRowsStaySmall() {
    assertThat(TextReport.of(hostile().found()).lines().count()).isLessThan(200);
    assertThat(HtmlReport.of(hostile().found()).length()).isLessThan(80_000);
  }

  @Test
  void aTimelineShowsWaitingAndResuming() {
    assertThat(TextReport.of(Stories.doubleSpend().found()))
        .containsSubsequence(
            "  4     │",
            "UPDATE coupons SET used = true WHERE code = 'TEN'",
            "<waiting for Ana>",
            "  5     └ COMMIT",
            "  (4) ",
            "<resumed>  → 1 row",
            "  6 ");
  }

  @Test
  void timelineShowsValuesAndTransactions() {
    assertThat(TextReport.of(Stories.threeRedeem().found()))
        .contains("  1–2   ─ SELECT count(*) FROM")
        .contains("→ 0  (autocommit)")
        .contains("  10    └ (autocommit)");
  }

  @Test
  void aTimelineShowsACrashAndTheSecondLife() {
    assertThat(TextReport.of(Stories.crash().found()))
        .containsSubsequence(
            "└ COMMIT",
            "✗ connection lost: committed, but the response was lost",
            "═══ run again",
            "┌ INSERT");
    assertThat(HtmlReport.of(Stories.crash().found())).contains("↻ run again");
  }

  @Test
  void showsActualAgainstExpected() {
    assertThat(TextReport.of(Stories.doubleSpend().found()))
        .contains("expected: Ana, then Ben  expected: Ben, then Ana  actual")
        .containsPattern("Ben ends with +false +true +true")
        .contains("2 rows: ('TEN', 'Ana')")
        .doesNotContain("100000000");
    assertThat(TextReport.of(Stories.lostUpdate().found()))
        .contains("expected: any serial order  actual")
        .containsPattern("accounts 1: balance +180 +130");
  }

  @Test
  void theLineToPasteAndTheProofAreThere() {
    assertThat(TextReport.of(Stories.lostUpdate().found()))
        .contains("@RaceTest(replay = \"HF1:ABBA-7Q\")")
        .contains("reproduced  10/10; found in run 4, after 9 ms")
        .contains("41 runs (30 pruned) in 180 ms, 228 runs/s")
        .contains("REPEATABLE READ prevents this: Ben fails with 40001 and must retry.")
        .contains("Shop.java:");
  }

  @Test
  void withoutAFindingItIsShort() {
    Exploration nothing =
        new Story("Ana", "Ben")
            .remarks(List.of("Ana and Ben share no table"), List.of("orders.token not compared"))
            .nothing();
    assertThat(TextReport.of(nothing).lines())
        .hasSize(4)
        .first()
        .asString()
        .startsWith("No race found: ShopRaceTest.couponIsUsedOnce");
    assertThat(TextReport.of(nothing))
        .contains("all interleavings are covered")
        .contains("WARNING     Ana and Ben share no table")
        .contains("note        orders.token not compared");
    assertThat(HtmlReport.of(nothing)).contains("NO RACE FOUND", "share no table");
  }

  @Test
  void aLongRunIsShownByItsBeginningAndItsEnd() {
    Story story = new Story("Ana", "Ben").kind(Finding.Kind.LIVELOCK, "");
    IntStream.range(0, 500).forEach(i -> story.changes(i % 2, 0, "UPDATE t SET a = 1"));
    assertThat(TextReport.of(story.found())).contains("… 380 more lines …").contains("  500 ");
  }
}
