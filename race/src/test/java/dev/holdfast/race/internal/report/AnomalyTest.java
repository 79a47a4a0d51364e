package dev.holdfast.race.internal.report;

import static dev.holdfast.race.internal.report.Story.outcome;
import static dev.holdfast.race.internal.report.Story.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import dev.holdfast.race.internal.model.RunRecord;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AnomalyTest {
  private static final String STOCK = "SELECT quantity FROM stock WHERE sku = ?";

  private static String name(Story story) {
    return Anomaly.nameOf(story.found());
  }

  private static String why(Story story) {
    return CauseText.of(anomaly(story));
  }

  private static Anomaly anomaly(Story story) {
    Exploration exploration = story.found();
    return Anomaly.of(exploration, Objects.requireNonNull(exploration.finding()));
  }

  private static List<String> fixes(Story story) {
    return Fixes.of(anomaly(story)).stream().map(f -> f.what() + f.code() + f.guard()).toList();
  }

  @Test
  void anOverwrittenChangeIsALostUpdate() {
    assertThat(name(Stories.lostUpdate())).isEqualTo("LOST UPDATE");
    assertThat(why(Stories.lostUpdate()))
        .isEqualTo(
            "Ben read balance = 100 of accounts in 2; Ana changed it in 3 and committed in 4; in 5"
                + " Ben wrote a value based on that read, and the change of Ana was lost.");
    assertThat(anomaly(Stories.lostUpdate()).decisive()).containsOnlyKeys(1, 2, 3, 4, 5);
    assertThat(fixes(Stories.lostUpdate()))
        .anyMatch(fix -> fix.contains("SET balance = balance + ? WHERE id = 1"))
        .anyMatch(fix -> fix.contains("WHERE id = 1 FOR UPDATE"))
        .anyMatch(fix -> fix.contains(".version(v)"));
  }

  @Test
  void threeThatCheckAndThenInsertSpendTwice() {
    assertThat(name(Stories.threeRedeem())).isEqualTo("DOUBLE SPEND");
    assertThat(why(Stories.threeRedeem()))
        .contains("Ana, Ben and Cleo read the same data (count = 0, in 1, 3 and 5)")
        .contains("Ana in 7, Ben in 8, Cleo in 9");
    assertThat(fixes(Stories.threeRedeem()))
        .as("it takes three, so two are allowed")
        .noneMatch(fix -> fix.contains("UNIQUE"));
    assertThat(Levels.of(anomaly(Stories.threeRedeem())))
        .containsExactly(
            "No isolation level prevents this: the statements 5 and 9 are in separate"
                + " transactions.");
  }

  @Test
  void bothThatSetAFlagSpendTwice() {
    assertThat(name(Stories.doubleSpend())).isEqualTo("DOUBLE SPEND");
    assertThat(fixes(Stories.doubleSpend()))
        .anyMatch(fix -> fix.contains("WHERE code = 'TEN' AND used = false"));
  }

  @Test
  void relativeDecreasesAreDoubleSpend() {
    Story story = new Story("Ana", "Ben").kind(Finding.Kind.INVARIANT_VIOLATED, "never below zero");
    story.reads(0, STOCK, "quantity", "1", "'x'").reads(1, STOCK, "quantity", "1", "'x'");
    for (int actor = 0; actor < 2; actor++) {
      story
          .changes(actor, 1, "UPDATE stock SET quantity = quantity - ? WHERE sku = ?", "1", "'x'")
          .commits(actor);
    }
    assertThat(name(story)).isEqualTo("DOUBLE SPEND");
    assertThat(fixes(story))
        .anyMatch(fix -> fix.contains("quantity >= 1"))
        .anyMatch(fix -> fix.contains(".decrease(\"quantity\", …)"));
  }

  @Test
  void checkingStatementsAreDoubleSpend() {
    String insert =
        "INSERT INTO redemptions (code) SELECT ? WHERE NOT EXISTS"
            + " (SELECT 1 FROM redemptions WHERE code = ?)";
    Story story =
        new Story("Ana", "Ben")
            .kind(Finding.Kind.INVARIANT_VIOLATED, "one redemption")
            .changes(0, 1, insert, "'TEN'", "'TEN'")
            .changes(1, 1, insert, "'TEN'", "'TEN'")
            .autocommits(0)
            .autocommits(1);
    assertThat(name(story)).isEqualTo("DOUBLE SPEND");
    assertThat(why(story)).contains("in one statement each (1 and 2)");
  }

  @Test
  void anIgnoredRowCountIsPointedAt() {
    String find = "SELECT id FROM comments WHERE id = ?";
    String delete = "DELETE FROM comments WHERE id = ?";
    String count = "UPDATE posts SET comments = comments - 1 WHERE id = ?";
    Story story =
        new Story("Ana", "Ben")
            .reads(0, find, "id", "7", "7")
            .reads(1, find, "id", "7", "7")
            .changes(0, 1, delete, "7")
            .changes(0, 1, count, "1")
            .commits(0)
            .changes(1, 0, delete, "7")
            .changes(1, 1, count, "1")
            .commits(1);
    assertThat(name(story)).isEqualTo("DOUBLE SPEND");
    assertThat(fixes(story).get(0)).contains("row count of step 6");
  }

  @Test
  void changesOfDifferentRowsAreWriteSkew() {
    assertThat(name(Stories.writeSkew())).isEqualTo("WRITE SKEW");
    assertThat(why(Stories.writeSkew())).contains("(1, 2)").contains("(3, 4)");
    assertThat(fixes(Stories.writeSkew()))
        .anyMatch(fix -> fix.contains("SELECT id FROM members WHERE role = 'OWNER' FOR UPDATE"));
  }

  @Test
  void staleDecisionIsDirtyDecision() {
    Story story =
        new Story("Ana", "Ben")
            .reads(0, "SELECT price FROM items WHERE id = ?", "price", "10", "1")
            .changes(1, 1, "UPDATE items SET price = ? WHERE id = ?", "12", "1")
            .autocommits(1)
            .changes(0, 1, "INSERT INTO orders (item, price) VALUES (?, ?)", "1", "10")
            .commits(0);
    assertThat(name(story)).isEqualTo("DIRTY DECISION");
    assertThat(why(story)).contains("Ana read price = 10 of items in 1").contains("in 4 Ana acted");
  }

  @Test
  void readingTwoStatesIsAnInconsistentRead() {
    Story story =
        new Story("Ana", "Ben")
            .reads(0, "SELECT sum(quantity) FROM cart", "sum", "2")
            .changes(1, 1, "UPDATE cart SET quantity = 5")
            .autocommits(1)
            .reads(0, "SELECT quantity FROM cart", "quantity", "5")
            .changes(0, 1, "INSERT INTO orders (total) VALUES (2)")
            .commits(0);
    assertThat(name(story)).isEqualTo("INCONSISTENT READ");
    assertThat(why(story)).contains("Ana read cart in 1, and again in 4");
  }

  @Test
  void snapshotReadsAreConsistent() {
    Story story =
        new Story("Ana", "Ben")
            .isolation("REPEATABLE READ")
            .reads(0, "SELECT sum(quantity) FROM cart", "sum", "2")
            .changes(1, 1, "UPDATE cart SET quantity = 5")
            .autocommits(1)
            .reads(0, "SELECT quantity FROM cart", "quantity", "2")
            .changes(0, 1, "INSERT INTO orders (total) VALUES (2)")
            .commits(0);
    assertThat(name(story)).isEqualTo("DIRTY DECISION");
  }

  @Test
  void anEffectThatHappensTooOftenIsNamed() {
    Outcome once = new Outcome(List.of(), List.of(), List.of(new Outcome.Effect(0, "charge")));
    Outcome twice =
        new Outcome(
            List.of(),
            List.of(),
            List.of(new Outcome.Effect(0, "charge"), new Outcome.Effect(1, "charge")));
    Story story =
        new Story("Ana", "Ben")
            .reads(0, STOCK, "quantity", "1", "'x'")
            .reads(1, STOCK, "quantity", "1", "'x'")
            .effect(0, "charge")
            .effect(1, "charge")
            .expected(once, "Ana", "Ben")
            .got(twice);
    assertThat(name(story)).isEqualTo("DUPLICATE EFFECT");
    assertThat(why(story)).startsWith("“charge” happened in 3 and 4");
    assertThat(anomaly(story).decisive()).containsOnlyKeys(3, 4);
  }

  @Test
  void whatIsNotUnderstoodIsNotNamed() {
    Story unknown = new Story("Ana", "Ben");
    unknown.reads(0, "SELECT do_it(1)", "x", "1").reads(1, "SELECT do_it(1)", "x", "1");
    assertThat(name(unknown)).isEqualTo("NOT SERIALIZABLE");
    assertThat(name(unknown.kind(Finding.Kind.INVARIANT_VIOLATED, "sum is 0")))
        .isEqualTo("INVARIANT VIOLATED");
    assertThat(fixes(unknown)).isNotEmpty();
  }

  @Test
  void oneAfterTheOtherIsNoConflict() {
    Story story = new Story("Ana", "Ben").kind(Finding.Kind.INVARIANT_VIOLATED, "x");
    for (int actor = 0; actor < 2; actor++) {
      story
          .reads(actor, STOCK, "quantity", "1", "'x'")
          .changes(actor, 1, "UPDATE stock SET quantity = ? WHERE sku = ?", "0", "'x'")
          .commits(actor);
    }
    assertThat(name(story)).isEqualTo("INVARIANT VIOLATED");
  }

  @Test
  void ignoresReadsOfFailedTransaction() {
    String update = "UPDATE stock SET quantity = ? WHERE sku = ?";
    Story story =
        new Story("Ana", "Ben")
            .kind(Finding.Kind.INVARIANT_VIOLATED, "x")
            .reads(1, STOCK, "quantity", "2", "'x'")
            .changes(0, 1, update, "1", "'x'")
            .commits(0)
            .fails(1, new SQLException("could not serialize", "40001"), update, "1", "'x'")
            .rollsBack(1)
            .reads(1, STOCK, "quantity", "1", "'x'")
            .changes(1, 1, update, "0", "'x'")
            .commits(1);
    assertThat(name(story)).isEqualTo("INVARIANT VIOLATED");
  }

  @Test
  void delayedReadSeesAwaitedChange() {
    Story story =
        new Story("Ana", "Ben")
            .kind(Finding.Kind.INVARIANT_VIOLATED, "x")
            .reads(0, STOCK + " FOR UPDATE", "quantity", "2", "'x'")
            .waiting(0, 5)
            .reads(1, STOCK + " FOR UPDATE", "quantity", "1", "'x'")
            .changes(0, 1, "UPDATE stock SET quantity = ? WHERE sku = ?", "1", "'x'")
            .commits(0)
            .changes(1, 1, "UPDATE stock SET quantity = ? WHERE sku = ?", "0", "'x'")
            .commits(1);
    assertThat(name(story)).isEqualTo("INVARIANT VIOLATED");
  }

  @Test
  void describesDeadlockCycle() {
    assertThat(name(Stories.deadlock())).isEqualTo("DEADLOCK");
    assertThat(why(Stories.deadlock()))
        .startsWith("Ana waits in 3 for a lock of Ben, Ben waits in 4 for a lock of Ana.")
        .contains("aborted Ben");
    assertThat(fixes(Stories.deadlock()).get(0)).contains("RowLocks.lock(tx, \"accounts\"");
  }

  @Test
  void aCrashSaysWhatWasDoneTwice() {
    assertThat(name(Stories.crash())).isEqualTo("NOT IDEMPOTENT");
    assertThat(why(Stories.crash()))
        .contains("after the commit took effect")
        .contains("repeated step 1 in step 3");
  }

  @Test
  void theOtherKindsSayWhatTheRunSays() {
    Story stuck =
        new Story("Ana", "Ben")
            .kind(Finding.Kind.STUCK, "")
            .end(RunRecord.End.POOL, "Ben waits for a connection of the pool");
    assertThat(name(stuck)).isEqualTo("STUCK");
    assertThat(why(stuck)).isEqualTo("Ben waits for a connection of the pool");
    assertThat(name(new Story("A").kind(Finding.Kind.LIVELOCK, ""))).isEqualTo("LIVELOCK");
    assertThat(name(new Story("A").kind(Finding.Kind.JVM_LOCK, "")))
        .isEqualTo("PROTECTED ONLY BY A JVM LOCK");
    assertThat(name(new Story("A").kind(Finding.Kind.FORBIDDEN_ERROR, "")))
        .isEqualTo("FORBIDDEN ERROR");
    for (Finding.Kind kind : Finding.Kind.values()) {
      assertThat(fixes(new Story("Ana", "Ben").kind(kind, "it"))).isNotEmpty();
    }
  }

  @Test
  void withoutAFindingThereIsNoName() {
    assertThat(Anomaly.nameOf(new Story("Ana").nothing())).isEmpty();
  }

  @Test
  void correctTableIsNoLostUpdate() {
    Story story = Stories.lostUpdate();
    story.expected(
        outcome(List.of("", ""), table("accounts", "id,balance", "1,130")), "Ben", "Ana");
    assertThat(name(story)).isEqualTo("DOUBLE SPEND");
  }
}
