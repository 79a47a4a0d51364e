package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.ConditionalUpdateResult.AlreadyApplied;
import dev.holdfast.guard.ConditionalUpdateResult.Applied;
import dev.holdfast.guard.ConditionalUpdateResult.NotFound;
import dev.holdfast.guard.ConditionalUpdateResult.Rejected;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.ConflictListener;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.GuardKind;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Row;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What marking once and moving from state to state guarantee. */
public abstract class ConditionalUpdateContract extends DatabaseContract {
  protected ConditionalUpdateContract(TestDatabase database) {
    super(database);
  }

  private enum Status {
    PENDING,
    PAID
  }

  @BeforeEach
  void createShop() {
    schema.execute(
        "create table coupons (code varchar(20) primary key, used_by varchar(50),"
            + " used_at timestamp(6) null)",
        "insert into coupons (code) values ('TEN')",
        "create table orders (id bigint primary key, status varchar(20), payment_ref varchar(50),"
            + " note varchar(50))",
        "insert into orders (id, status) values (7, 'PENDING')");
  }

  private static ConditionalUpdate coupon(String user) {
    return ConditionalUpdate.table("coupons").where("code", "TEN").markOnce("used_by", user);
  }

  private static ConditionalUpdate pay() {
    return ConditionalUpdate.table("orders").where("id", 7).transition("status", "PENDING", "PAID");
  }

  private static ConditionalUpdate pay(String reference) {
    return pay().reference("payment_ref", reference);
  }

  private ConditionalUpdateResult apply(ConditionalUpdate change) {
    return transactions.<ConditionalUpdateResult, RuntimeException>call(change::apply);
  }

  private static Row refused(ConditionalUpdateResult result) {
    assertThat(result).isInstanceOf(Rejected.class);
    return ((Rejected) result).current();
  }

  private static Row alreadySo(ConditionalUpdateResult result) {
    assertThat(result).isInstanceOf(AlreadyApplied.class);
    return ((AlreadyApplied) result).current();
  }

  @Test
  void marksARowForTheFirstAndKnowsItAgain() {
    assertThat(apply(coupon("ana").setNow("used_at"))).isEqualTo(new Applied());
    assertThat(apply(coupon("ana")).changed()).isFalse();

    assertThat(alreadySo(apply(coupon("ana"))).text("used_by")).isEqualTo("ana");
    assertThat(refused(apply(coupon("bo"))).text("used_by")).isEqualTo("ana");
    assertThat(schema.query("select used_at from coupons").get(0).get("used_at")).isNotNull();
  }

  @Test
  void movesARowOnAndKeepsForWhat() {
    assertThat(apply(pay("pay_1").set("note", "thanks"))).isEqualTo(new Applied());

    assertThat(alreadySo(apply(pay("pay_1"))).text("note")).isEqualTo("thanks");
    assertThat(refused(apply(pay("pay_2"))).text("payment_ref")).isEqualTo("pay_1");
    assertThat(alreadySo(apply(pay())).text("status")).isEqualTo("PAID");
  }

  @Test
  void refusesToMoveFromAnyOtherState() {
    schema.execute("update orders set status = 'CANCELLED'");

    assertThat(refused(apply(pay("pay_1"))).text("status")).isEqualTo("CANCELLED");
    assertThat(refused(apply(pay())).text("status")).isEqualTo("CANCELLED");
    assertThat(apply(pay("pay_1").orFrom("NEW").orFrom("CANCELLED"))).isEqualTo(new Applied());
  }

  @Test
  void refusesToMoveFromNoStateAtAll() {
    schema.execute("update orders set status = null");

    assertThat(refused(apply(pay("pay_1"))).get("status")).isNull();
  }

  @Test
  void neverWritesOverAnotherReference() {
    schema.execute("update orders set payment_ref = 'pay_9'");

    assertThat(refused(apply(pay("pay_1"))).text("payment_ref")).isEqualTo("pay_9");
    assertThat(apply(pay("pay_9"))).isEqualTo(new Applied());
    assertThat(alreadySo(apply(pay("pay_9"))).text("status")).isEqualTo("PAID");
  }

  @Test
  void doesNotConfuseStateWithoutReference() {
    schema.execute("update orders set status = 'PAID'");

    assertThat(refused(apply(pay("pay_1"))).get("payment_ref")).isNull();
  }

  @Test
  void takesOnlyTheSameTextForTheSame() {
    apply(coupon("ana"));
    apply(pay("pay_1"));

    for (String other : List.of("PAY_1", "pay_1 ", " pay_1", "páy_1", "pay_1\u0000x", "pay")) {
      if (!other.contains("\u0000") || !database().name().equals("PostgreSQL")) {
        assertThat(apply(pay(other))).as("'%s'", other).isInstanceOf(Rejected.class);
      }
    }
    for (String other : List.of("ANA", "ana ", "aná")) {
      assertThat(apply(coupon(other))).as("'%s'", other).isInstanceOf(Rejected.class);
    }
    schema.execute("update orders set status = 'pending', payment_ref = null");
    assertThat(refused(apply(pay("pay_1"))).text("status")).isEqualTo("pending");
  }

  @Test
  void knowsTextOfAnyScriptAgain() {
    assertThat(apply(coupon("Ана 😀"))).isEqualTo(new Applied());
    assertThat(apply(coupon("Ана 😀"))).isInstanceOf(AlreadyApplied.class);
    assertThat(apply(coupon("Ана 😁"))).isInstanceOf(Rejected.class);
  }

  @Test
  void movesBetweenStatesThatDifferOnlyInCase() {
    ConditionalUpdate shout =
        ConditionalUpdate.table("orders").where("id", 7).transition("status", "PENDING", "pending");

    assertThat(apply(shout)).isEqualTo(new Applied());
    assertThat(apply(shout)).isInstanceOf(AlreadyApplied.class);
  }

  @Test
  void movesOnceInCaseInsensitiveColumn() {
    if (database().name().equals("PostgreSQL")) {
      schema.execute(
          "create collation ignoring_case"
              + " (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
    }
    String type =
        switch (database().name()) {
          case "PostgreSQL" -> "varchar(20) collate ignoring_case";
          case "H2" -> "varchar_ignorecase(20)";
          default -> "varchar(20)";
        };
    schema.execute(
        "create table tasks (id bigint primary key, state " + type + ")",
        "insert into tasks values (1, 'ready')");
    ConditionalUpdate start =
        ConditionalUpdate.table("tasks").where("id", 1).transition("state", "ready", "READY");

    assertThat(List.of(apply(start), apply(start), apply(start)))
        .filteredOn(ConditionalUpdateResult::changed)
        .hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void takesEnumsAndNumbersForStatesAndMarks() {
    schema.execute(
        "create table tasks (id bigint primary key, state integer, owner_id bigint)",
        "insert into tasks (id, state) values (1, 0)");
    ConditionalUpdate byEnum =
        ConditionalUpdate.table("orders")
            .where("id", 7)
            .transition("status", Status.PENDING, Status.PAID);
    ConditionalUpdate byNumber =
        ConditionalUpdate.table("tasks").where("id", 1).transition("state", 0, 1);
    ConditionalUpdate mark = ConditionalUpdate.table("tasks").where("id", 1);

    assertThat(apply(byEnum)).isEqualTo(new Applied());
    assertThat(apply(byEnum)).isInstanceOf(AlreadyApplied.class);
    assertThat(apply(byNumber)).isEqualTo(new Applied());
    assertThat(apply(byNumber)).isInstanceOf(AlreadyApplied.class);
    assertThat(apply(mark.markOnce("owner_id", 9007199254740993L))).isEqualTo(new Applied());
    assertThat(apply(mark.markOnce("owner_id", 9007199254740993L)))
        .isInstanceOf(AlreadyApplied.class);
    assertThat(apply(mark.markOnce("owner_id", 9007199254740992L))).isInstanceOf(Rejected.class);
  }

  @Test
  void distinguishesLargeNumbersInTextColumn() {
    Assumptions.assumeFalse(database().name().equals("MySQL"), "it compares them as doubles");
    schema.execute("update coupons set used_by = '9007199254740993'");
    ConditionalUpdate other =
        ConditionalUpdate.table("coupons")
            .where("code", "TEN")
            .markOnce("used_by", 9007199254740992L);

    try {
      assertThat(apply(other)).isInstanceOf(Rejected.class);
    } catch (DatabaseException e) {
      // PostgreSQL does not compare text with numbers
      assertThat(e.error()).isEqualTo(SqlError.UNKNOWN);
    }
  }

  @Test
  void saysThatARowIsMissing() {
    assertThat(
            apply(
                ConditionalUpdate.table("orders")
                    .where("id", 8)
                    .transition("status", "PENDING", "PAID")))
        .isEqualTo(new NotFound());
    assertThat(
            apply(ConditionalUpdate.table("coupons").where("code", "X").markOnce("used_by", "ana")))
        .isEqualTo(new NotFound());
  }

  @Test
  void showsTheRowAndNothingElse() {
    schema.execute("update orders set status = 'CANCELLED'");

    Row row = refused(apply(pay("pay_1")));

    assertThat(row.values().keySet())
        .usingElementComparator(String.CASE_INSENSITIVE_ORDER)
        .containsExactlyInAnyOrder("id", "status", "payment_ref", "note");
  }

  @Test
  void rollsBackWithTheCallersTransaction() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      assertThat(pay("pay_1").apply(tx)).isEqualTo(new Applied());
                      assertThat(pay("pay_1").apply(tx)).isInstanceOf(AlreadyApplied.class);
                      throw new IllegalStateException("the caller changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(apply(pay("pay_2"))).isEqualTo(new Applied());
  }

  @Test
  void seesChangesCommittedSinceStart() throws SQLException {
    seesWhatOthersHaveCommitted();
  }

  @Test
  void seesCommittedChangesInReadCommitted() throws SQLException {
    transactions = transactions.isolation(Isolation.READ_COMMITTED);
    seesWhatOthersHaveCommitted();
  }

  private void seesWhatOthersHaveCommitted() throws SQLException {
    transactions.run(
        tx -> {
          look(tx.connection());
          apply(pay("pay_1"));
          assertThat(alreadySo(pay("pay_1").apply(tx)).text("status")).isEqualTo("PAID");
          assertThat(refused(pay("pay_2").apply(tx)).text("payment_ref")).isEqualTo("pay_1");
        });
  }

  @Test
  void neverAnswersFromAnOlderSnapshot() throws SQLException {
    try (Connection reader = schema.unpooled().getConnection()) {
      reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      reader.setAutoCommit(false);
      look(reader);
      apply(pay("pay_1"));

      try {
        Row current = refused(pay("pay_2").apply(Transaction.of(reader)));
        assertThat(current.text("payment_ref")).isEqualTo("pay_1");
      } catch (DatabaseException e) {
        assertThat(e.error()).isIn(SqlError.SERIALIZATION_FAILURE, SqlError.DEADLOCK);
      }
      reader.rollback();
    }
    assertThat(apply(pay("pay_1"))).isInstanceOf(AlreadyApplied.class);
  }

  private static void look(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery("select * from orders").close();
    }
  }

  @Test
  void reportsConflictToConflictRate() {
    List<String> heard = new ArrayList<>();
    transactions =
        transactions.listener(
            new ConflictListener() {
              @Override
              public void attempted(GuardKind kind, String guard, boolean conflict) {
                heard.add(guard + " " + conflict);
              }
            });
    schema.execute(
        "create table stock (sku varchar(20) primary key, quantity integer not null)",
        "insert into stock values ('A1', 0)");

    apply(pay("pay_1").named("pay"));
    apply(pay("pay_1").named("pay again"));
    apply(pay("pay_2").named("pay twice"));
    apply(coupon("ana"));
    apply(coupon("bo"));
    apply(ConditionalUpdate.table("stock").where("sku", "A1").decrease("quantity", 1).named("buy"));
    apply(
        ConditionalUpdate.table("stock").where("sku", "B2").decrease("quantity", 1).named("none"));

    assertThat(heard)
        .containsExactly(
            "pay false",
            "pay again false",
            "pay twice true",
            "conditional coupons false",
            "conditional coupons true",
            "buy false",
            "none false");
  }
}
