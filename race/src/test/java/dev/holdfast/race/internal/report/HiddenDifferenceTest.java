package dev.holdfast.race.internal.report;

import static dev.holdfast.race.internal.report.Story.outcome;
import static dev.holdfast.race.internal.report.Story.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.TableContent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said where nothing that can be shown differs. */
class HiddenDifferenceTest {
  private static final String LONG = "x".repeat(50) + "%s" + "y".repeat(50);

  private static Story story(TableContent expected, TableContent got) {
    return new Story("Ana", "Ben")
        .expected(outcome(List.of("", ""), expected), "Ana", "Ben")
        .got(outcome(List.of("", ""), got));
  }

  private static void assertSaid(Story story, String... said) {
    String text = TextReport.of(story.found()).replaceAll("\\s+", " ");
    assertThat(text).contains(said);
    assertThat(HtmlReport.of(story.found())).contains("Expected and actual").contains(said);
  }

  @Test
  void rowsThatBelongTogetherOtherwise() {
    Story story =
        story(
            table("lines", "order_id,item", "1100000001,a", "1100000001,b"),
            table("lines", "order_id,item", "1100000001,a", "1100000002,b"));
    assertSaid(story, "which rows are linked by ids", "lines (order_id)");
  }

  @Test
  void whatIsTooLongToBeShown() {
    Story story =
        story(
            table("notes", "id,text", "1," + LONG.formatted("1")),
            table("notes", "id,text", "1," + LONG.formatted("2")));
    assertSaid(story, "he rows of notes: they differ");
    assertThat(TextReport.of(story.found())).doesNotContain("belong together");
  }

  @Test
  void effectsWithLongNames() {
    String name = "x".repeat(60) + "%s" + "y".repeat(60);
    Story story =
        new Story("Ana", "Ben")
            .expected(effect(name.formatted("1")), "Ana", "Ben")
            .got(effect(name.formatted("2")));
    assertSaid(story, "he effects: they differ");
  }

  private static Outcome effect(String name) {
    return new Outcome(List.of(), List.of(), List.of(new Outcome.Effect(0, name)));
  }
}
