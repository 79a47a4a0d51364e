package dev.holdfast.race.internal.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Entry;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Step;
import dev.holdfast.race.internal.model.StepKind;
import dev.holdfast.race.internal.model.StepResult;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlacesTest {

  private static Entry entry(String sql, String source) {
    Step step = new Step(StepKind.STATEMENT, sql, List.of(), 1, 1, false, false, source);
    return new Entry(1, 0, 0, 1, step, StepResult.done(), Fate.GO, List.of(), 0, false);
  }

  private static List<String> places(Entry... entries) {
    Places places = new Places(List.of(entries));
    return Arrays.stream(entries).map(e -> String.valueOf(places.of(e))).toList();
  }

  @Test
  void aHelperIsShownWithItsCaller() {
    assertThat(
            places(
                entry("select 1 from a", "Sql.java:13 < Cards.java:9 < ShopTest.java:40"),
                entry("update a", "Sql.java:7 < Cards.java:20 < ShopTest.java:40"),
                entry("insert b", "Sql.java:7 < Cards.java:21 < ShopTest.java:40")))
        .containsExactly(
            "Cards.java:9 › Sql.java:13",
            "Cards.java:20 › Sql.java:7",
            "Cards.java:21 › Sql.java:7");
  }

  @Test
  void showsDirectStatementAlone() {
    assertThat(
            places(
                entry("select 1", "Cards.java:9 < ShopTest.java:40"),
                entry("update a set n = 5", "Cards.java:20 < ShopTest.java:40"),
                entry("update a set n = 6", "Cards.java:20 < ShopTest.java:41")))
        .containsExactly("Cards.java:9", "Cards.java:20", "Cards.java:20");
  }

  @Test
  void aHelperInTheSameFileIsShort() {
    assertThat(
            places(
                entry("update a", "Cards.java:60 < Cards.java:17 < ShopTest.java:40"),
                entry("insert b", "Cards.java:60 < Cards.java:18 < ShopTest.java:40"),
                entry("select 1", "Cards.java:30 < Cards.java:16 < ShopTest.java:40")))
        .containsExactly("Cards.java:17 › 60", "Cards.java:18 › 60", "Cards.java:30");
  }

  @Test
  void showsNearestDistinctCaller() {
    assertThat(
            places(
                entry("update a", "Sql.java:7 < Dao.java:5 < Cards.java:17"),
                entry("insert b", "Sql.java:7 < Dao.java:5 < Cards.java:18")))
        .containsExactly("Cards.java:17 › Sql.java:7", "Cards.java:18 › Sql.java:7");
  }
}
