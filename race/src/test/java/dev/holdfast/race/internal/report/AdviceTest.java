package dev.holdfast.race.internal.report;

import static dev.holdfast.race.internal.report.Story.outcome;
import static dev.holdfast.race.internal.report.Story.table;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.race.internal.model.Exploration;
import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.race.internal.model.Outcome;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Why it happened, and what would really fix it. */
class AdviceTest {
  private static final String CARD = "SELECT balance FROM cards WHERE code = ?";
  private static final String SET_CARD = "UPDATE cards SET balance = ? WHERE code = ?";
  private static final String DUE = "SELECT id FROM payouts WHERE status = 'DUE'";
  private static final String SENDING =
      "UPDATE payouts SET status = 'SENDING' WHERE id = ? AND status = 'DUE'";

  private static Anomaly anomaly(Story story) {
    Exploration exploration = story.found();
    return Anomaly.of(exploration, Objects.requireNonNull(exploration.finding()));
  }

  private static List<String> fixes(Story story) {
    return Fixes.of(anomaly(story)).stream().map(f -> f.what() + f.code() + f.guard()).toList();
  }

  private static Outcome effects(String... names) {
    List<Outcome.Effect> effects = new ArrayList<>();
    for (String name : names) {
      effects.add(new Outcome.Effect(0, name));
    }
    return new Outcome(List.of(), List.of(), effects);
  }

  private static Story lockedTooShortly(boolean autocommit) {
    Story story = new Story("Ana", "Ben").kind(Finding.Kind.INVARIANT_VIOLATED, "not overdrawn");
    for (int actor = 0; actor < 2; actor++) {
      story.reads(actor, CARD + " FOR UPDATE", "balance", "100", "'G'");
      if (autocommit) {
        story.autocommits(actor);
      } else {
        story.commits(actor);
      }
    }
    for (int actor = 0; actor < 2; actor++) {
      story.changes(actor, 1, SET_CARD, "40", "'G'").commits(actor);
    }
    return story;
  }

  @Test
  void reportsLockReleasedBeforeUse() {
    Story story = lockedTooShortly(/* autocommit= */ false);

    assertThat(CauseText.of(anomaly(story)))
        .contains("The lock of 1 ends with the commit in 2, that of 3 with the commit in 4.");
    assertThat(anomaly(story).decisive()).containsEntry(2, "releases the lock of 1");
    assertThat(fixes(story).get(0))
        .startsWith(
            "Read and write in one transaction. A lock is released when its transaction ends, here"
                + " in 2");
  }

  @Test
  void soIsOneThatEndsWithTheAutocommit() {
    Story story = lockedTooShortly(/* autocommit= */ true);

    assertThat(CauseText.of(anomaly(story)))
        .contains("The lock of 1 ends with the autocommit in 2");
    assertThat(TextReport.of(story.found())).contains("; releases its lock");
  }

  @Test
  void aLockThatIsKeptIsNotBlamed() {
    Story story =
        new Story("Ana", "Ben")
            .reads(0, CARD + " FOR UPDATE", "balance", "100", "'G'")
            .reads(1, "SELECT balance FROM cards", "balance", "100")
            .changes(0, 1, SET_CARD, "40", "'G'")
            .commits(0)
            .changes(1, 1, "INSERT INTO sums (total) VALUES (100)")
            .commits(1);

    assertThat(anomaly(story).conflict()).isNotNull();
    assertThat(anomaly(story).lostLocks()).isEmpty();
  }

  @Test
  void namesEffects() {
    Story story =
        new Story("Ana", "Ben")
            .effect(0, "pay 1")
            .effect(1, "pay 1")
            .effect(0, "pay 2")
            .effect(1, "pay 2")
            .expected(effects("pay 1", "pay 2"), "Ana", "Ben")
            .got(effects("pay 1", "pay 1", "pay 2", "pay 2"));

    assertThat(CauseText.of(anomaly(story)))
        .startsWith("“pay 1” happened in 1 and 2, “pay 2” happened in 3 and 4, more often");
    assertThat(CauseText.headline(anomaly(story)))
        .startsWith("“pay 1” and “pay 2” happen more often");
  }

  @Test
  void aDecreaseStaysOneAndIsChecked() {
    Story story =
        new Story("Ana", "Ben")
            .reads(0, CARD, "balance", "100", "'G'")
            .reads(1, CARD, "balance", "100", "'G'")
            .changes(0, 1, SET_CARD, "70", "'G'")
            .commits(0)
            .changes(1, 1, SET_CARD, "80", "'G'")
            .commits(1)
            .expected(outcome(List.of("", ""), table("cards", "code,balance", "G,50")), "Ana")
            .got(outcome(List.of("", ""), table("cards", "code,balance", "G,80")));

    assertThat(anomaly(story).title()).isEqualTo("LOST UPDATE");
    assertThat(fixes(story).get(0))
        .contains("SET balance = balance - ? WHERE code = 'G' AND balance >= ?")
        .contains(".decrease(\"balance\", …)");
  }

  @Test
  void proposesRelativeUpdateForBalance() {
    assertThat(fixes(lockedTooShortly(/* autocommit= */ false)).get(1))
        .contains("SET balance = balance - ? WHERE code = 'G' AND balance >= ?")
        .doesNotContain("transition");
  }

  private static Story countsAndInserts(String count) {
    Story story = new Story("Ana", "Ben").kind(Finding.Kind.INVARIANT_VIOLATED, "few");
    for (int actor = 0; actor < 2; actor++) {
      story.reads(actor, "SELECT count(*) FROM bookings WHERE customer = ?", "count", count, "7");
    }
    for (int actor = 0; actor < 2; actor++) {
      story.changes(actor, 1, "INSERT INTO bookings VALUES (?, ?)", "'" + actor + "A'", "7");
      story.commits(actor);
    }
    return story;
  }

  @Test
  void aUniqueKeyCannotSayTwoAtMost() {
    assertThat(anomaly(countsAndInserts("1")).title()).isEqualTo("DOUBLE SPEND");
    assertThat(fixes(countsAndInserts("1")))
        .noneMatch(fix -> fix.contains("UNIQUE"))
        .first()
        .asString()
        .contains("such as the parent (of customer = 7)");
    assertThat(fixes(countsAndInserts("0"))).anyMatch(fix -> fix.contains("ADD UNIQUE (customer)"));
  }

  @Test
  void explainsStaleSubselect() {
    String recount =
        "UPDATE shops SET followers = (SELECT count(*) FROM follows WHERE shop = 5) WHERE id = 5";
    Story story =
        new Story("Ana", "Ben")
            .changes(0, 1, "INSERT INTO follows VALUES (1, 5)")
            .changes(0, 1, recount)
            .changes(1, 1, "INSERT INTO follows VALUES (2, 5)")
            .waiting(0, 6)
            .changes(1, 1, recount)
            .commits(0)
            .commits(1)
            .expected(outcome(List.of("", ""), table("shops", "id,followers", "5,2")), "Ana")
            .got(outcome(List.of("", ""), table("shops", "id,followers", "5,1")));

    assertThat(anomaly(story).title()).isEqualTo("STALE SUBSELECT");
    assertThat(CauseText.of(anomaly(story)))
        .contains("its subselect counted follows before 1 was committed in 5");
    assertThat(fixes(story).get(0))
        .startsWith("Lock the row first")
        .contains("SELECT … FROM shops WHERE id = 5 FOR UPDATE");
  }

  private static Story deadlock(String one, String other) {
    String sql = "UPDATE stock SET n = n + 1 WHERE sku = ?";
    return new Story("Ana", "Ben")
        .kind(Finding.Kind.DEADLOCK, "")
        .waiting(1, 0)
        .changes(0, 1, sql, one)
        .waiting(0, 0)
        .fails(1, new SQLException("deadlock", "40P01"), sql, other)
        .deadlock(List.of(0, 1), List.of(1, 2), 1);
  }

  @Test
  void deadlockFixUsesRealKey() {
    assertThat(fixes(deadlock("'A'", "'B'")).get(0))
        .contains("WHERE sku IN (…) ORDER BY sku FOR UPDATE")
        .contains("RowLocks.of(\"stock\", \"sku\", List.of(…)).lock(tx)");
    assertThat(fixes(deadlock("'A'", "'A'")).get(0))
        .startsWith("Lock this row first")
        .contains("WHERE sku = 'A' FOR UPDATE");
  }

  @Test
  void completesPartlyUnseenCycle() {
    String sql = "UPDATE stock SET n = n + 1 WHERE sku = ?";
    Story story =
        new Story("Ana", "Ben")
            .kind(Finding.Kind.DEADLOCK, "")
            .changes(0, 1, sql, "'A'")
            .waiting(0, 4)
            .fails(1, new SQLException("deadlock", "40P01"), sql, "'A'")
            .changes(0, 1, sql, "'B'")
            .deadlock(List.of(1), List.of(2), 1);

    assertThat(CauseText.of(anomaly(story)))
        .startsWith("Ben waits in 2 for a lock of Ana, Ana waits in 3 for a lock of Ben.");
    assertThat(fixes(story).get(0)).contains("WHERE sku IN (…) ORDER BY sku");
  }

  private static Story begunOnly() {
    return new Story("operation")
        .kind(Finding.Kind.NOT_IDEMPOTENT, "")
        .reads(0, DUE, "id", "1")
        .changes(0, 1, SENDING, "1")
        .fate(Fate.DIE_AFTER)
        .autocommits(0)
        .secondLife(0)
        .reads(0, DUE, "id", null);
  }

  @Test
  void workThatIsNeverDoneIsNotDoneTwice() {
    Story story = begunOnly().expected(effects("pay 1"), "operation").got(effects());

    assertThat(anomaly(story).title()).isEqualTo("PARTIAL EXECUTION");
    assertThat(CauseText.of(anomaly(story))).contains("treated unfinished work as done");
    assertThat(fixes(story))
        .noneMatch(fix -> fix.contains("one transaction"))
        .anyMatch(fix -> fix.contains("step 4 must find what step 2 left (status = 'SENDING')"))
        .anyMatch(
            fix ->
                fix.contains("StuckRows.table(\"payouts\").key(\"id\").status(\"status\", \"SEND"));
  }

  @Test
  void emptyWriteIsNoRepetition() {
    String claim = "UPDATE payouts SET status = 'SENDING' WHERE status = 'DUE' RETURNING id";
    Story story =
        new Story("operation")
            .kind(Finding.Kind.NOT_IDEMPOTENT, "")
            .reads(0, claim, "id", "1")
            .fate(Fate.DIE_AFTER)
            .autocommits(0)
            .secondLife(0)
            .reads(0, claim, "id", null)
            .autocommits(0)
            .expected(outcome(List.of(""), table("payouts", "id,status", "1,PAID")), "operation")
            .got(outcome(List.of(""), table("payouts", "id,status", "1,SENDING")));

    assertThat(anomaly(story).title()).isEqualTo("PARTIAL EXECUTION");
  }

  @Test
  void withoutAnEffectOneTransactionHelps() {
    Story story =
        begunOnly()
            .expected(outcome(List.of(""), table("payouts", "id,status", "1,PAID")), "operation")
            .got(outcome(List.of(""), table("payouts", "id,status", "1,SENDING")));

    assertThat(anomaly(story).title()).isEqualTo("PARTIAL EXECUTION");
    assertThat(fixes(story).get(0)).contains("in one transaction");
  }

  @Test
  void repeatedInsertWithNewIdIsRepetition() {
    String insert = "INSERT INTO orders (id, customer) VALUES (?, ?)";
    Story story =
        new Story("operation")
            .kind(Finding.Kind.NOT_IDEMPOTENT, "")
            .changes(0, 1, insert, "'702f344e-1c6c-489c-9b6a-a30f5a3b9c4f'", "'Ana'")
            .fate(Fate.DIE_AFTER)
            .commits(0)
            .secondLife(0)
            .changes(0, 1, insert, "'9bbfd43f-2977-4fdd-81fe-e121e0454106'", "'Ana'")
            .commits(0);

    assertThat(anomaly(story).title()).isEqualTo("NOT IDEMPOTENT");
    assertThat(CauseText.of(anomaly(story))).contains("repeated step 1 in step 3");
    assertThat(fixes(story)).noneMatch(fix -> fix.contains("in one transaction"));
  }

  @Test
  void transactionDoesNotFixRepeatedEffect() {
    Story story =
        new Story("operation")
            .kind(Finding.Kind.NOT_IDEMPOTENT, "")
            .fate(Fate.DIE_AFTER)
            .effect(0, "pay 1")
            .secondLife(0)
            .effect(0, "pay 1")
            .expected(effects("pay 1"), "operation")
            .got(effects("pay 1", "pay 1"));

    assertThat(anomaly(story).title()).isEqualTo("NOT IDEMPOTENT");
    assertThat(fixes(story))
        .noneMatch(fix -> fix.contains("transaction"))
        .first()
        .asString()
        .startsWith("Send the remote service the same idempotency key");
  }
}
