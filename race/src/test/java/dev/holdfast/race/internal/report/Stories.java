package dev.holdfast.race.internal.report;

import static dev.holdfast.race.internal.report.Story.outcome;
import static dev.holdfast.race.internal.report.Story.table;

import dev.holdfast.race.internal.model.Fate;
import dev.holdfast.race.internal.model.Finding;
import dev.holdfast.transaction.Isolation;
import java.sql.SQLException;
import java.util.List;

/** Findings as real code gives them. */
final class Stories {
  private static final String BALANCE = "SELECT balance\n  FROM accounts -- why?\n WHERE id = ?";
  private static final String SET_BALANCE = "UPDATE accounts SET balance = ? WHERE id = ?";
  private static final String FIND = "SELECT count(*) FROM redemptions WHERE code = ?";
  private static final String REDEEM = "INSERT INTO redemptions (code, customer) VALUES (?, ?)";
  private static final String OWNERS =
      "SELECT count(*) AS owners FROM members WHERE role = 'OWNER'";
  private static final String DEMOTE = "UPDATE members SET role = 'MEMBER' WHERE id = ?";
  private static final String USED = "SELECT used FROM coupons WHERE code = ?";
  private static final String USE = "UPDATE coupons SET used = true WHERE code = ?";

  private Stories() {}

  static Story lostUpdate() {
    return new Story("Ana", "Ben")
        .reads(0, BALANCE, "balance", "100", "1")
        .reads(1, BALANCE, "balance", "100", "1")
        .changes(0, 1, SET_BALANCE, "150", "1")
        .commits(0)
        .changes(1, 1, SET_BALANCE, "130", "1")
        .commits(1)
        .expected(outcome(List.of("", ""), table("accounts", "id,balance", "1,180")), "Ana", "Ben")
        .expected(outcome(List.of("", ""), table("accounts", "id,balance", "1,180")), "Ben", "Ana")
        .got(outcome(List.of("", ""), table("accounts", "id,balance", "1,130")))
        .level(Isolation.REPEATABLE_READ, true, "Ben fails with 40001 and must retry")
        .level(Isolation.SERIALIZABLE, true, "Ben fails with 40001 and must retry");
  }

  static Story threeRedeem() {
    Story story =
        new Story("Ana", "Ben", "Cleo").kind(Finding.Kind.INVARIANT_VIOLATED, "one redemption");
    for (int actor = 0; actor < 3; actor++) {
      story.reads(actor, FIND, "count", "0", "'TEN'").autocommits(actor);
    }
    for (int actor = 0; actor < 3; actor++) {
      story.changes(actor, 1, REDEEM, "'TEN'", "'" + actor + "'");
    }
    for (int actor = 0; actor < 3; actor++) {
      story.autocommits(actor);
    }
    return story
        .got(
            outcome(
                List.of("true", "true", "true"),
                table("redemptions", "id,code,customer", "1000000001,TEN,0", "1000000002,TEN,1")))
        .level(Isolation.REPEATABLE_READ, false, "the same")
        .level(Isolation.SERIALIZABLE, false, "the same");
  }

  static Story doubleSpend() {
    return new Story("Ana", "Ben")
        .reads(0, USED, "used", "false", "'TEN'")
        .reads(1, USED, "used", "false", "'TEN'")
        .changes(0, 1, USE, "'TEN'")
        .waiting(0, 6)
        .changes(1, 1, USE, "'TEN'")
        .commits(0)
        .changes(1, 1, REDEEM, "'TEN'", "'Ben'")
        .commits(1)
        .expected(
            outcome(
                List.of("true", "false"),
                table("coupons", "code,used", "TEN,true"),
                table("redemptions", "id,code,customer", "1000000001,TEN,Ana")),
            "Ana",
            "Ben")
        .expected(
            outcome(
                List.of("false", "true"),
                table("coupons", "code,used", "TEN,true"),
                table("redemptions", "id,code,customer", "1000000001,TEN,Ben")),
            "Ben",
            "Ana")
        .got(
            outcome(
                List.of("true", "true"),
                table("coupons", "code,used", "TEN,true"),
                table(
                    "redemptions", "id,code,customer", "1000000001,TEN,Ana", "1000000002,TEN,Ben")))
        .level(Isolation.REPEATABLE_READ, true, "Ben fails with 40001 and must retry");
  }

  static Story writeSkew() {
    return new Story("Ana", "Ben")
        .kind(Finding.Kind.INVARIANT_VIOLATED, "an owner is left")
        .reads(0, OWNERS, "owners", "2")
        .reads(1, OWNERS, "owners", "2")
        .changes(0, 1, DEMOTE, "1")
        .changes(1, 1, DEMOTE, "2")
        .commits(0)
        .commits(1)
        .isolation("REPEATABLE READ")
        .got(outcome(List.of("", ""), table("members", "id,role", "1,MEMBER", "2,MEMBER")))
        .level(Isolation.SERIALIZABLE, true, "Ben fails with 40001 and must retry");
  }

  static Story deadlock() {
    SQLException victim =
        new SQLException("ERROR: deadlock detected\n  Detail: Process 17 waits …", "40P01");
    return new Story("Ana", "Ben")
        .kind(Finding.Kind.DEADLOCK, "")
        .changes(0, 1, "UPDATE accounts SET balance = balance - ? WHERE id = ?", "10", "1")
        .changes(1, 1, "UPDATE accounts SET balance = balance - ? WHERE id = ?", "5", "2")
        .waiting(1, 6)
        .changes(0, 1, "UPDATE accounts SET balance = balance + ? WHERE id = ?", "10", "2")
        .waiting(0, 5)
        .fails(1, victim, "UPDATE accounts SET balance = balance + ? WHERE id = ?", "5", "1")
        .rollsBack(1)
        .commits(0)
        .deadlock(List.of(0, 1), List.of(3, 4), 1);
  }

  static Story crash() {
    String order = "INSERT INTO orders (customer, total) VALUES (?, ?)";
    return new Story("operation")
        .kind(Finding.Kind.NOT_IDEMPOTENT, "")
        .changes(0, 1, order, "'Ana'", "30")
        .fate(Fate.LOSE_AFTER)
        .commits(0)
        .secondLife(0)
        .changes(0, 1, order, "'Ana'", "30")
        .commits(0)
        .effect(0, "mail to Ana")
        .expected(
            outcome(List.of(""), table("orders", "id,customer,total", "1000000001,Ana,30")),
            "operation")
        .got(
            outcome(
                List.of(""),
                table("orders", "id,customer,total", "1000000001,Ana,30", "1000000002,Ana,30")));
  }
}
