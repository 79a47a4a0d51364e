package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.ConditionalUpdateResult.Applied;
import dev.holdfast.guard.ConditionalUpdateResult.NotFound;
import dev.holdfast.guard.ConditionalUpdateResult.Rejected;
import dev.holdfast.guard.GuardException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.TransactionStateException;
import java.math.BigDecimal;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What conditional changes of numbers guarantee, and what no conditional change accepts. */
public abstract class ConditionalUpdateAmountContract extends DatabaseContract {
  protected ConditionalUpdateAmountContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createStock() {
    schema.execute(
        """
        create table stock (
          sku varchar(20) primary key,
          quantity integer,
          total bigint,
          price decimal(12, 2),
          changed_at timestamp(6) null)
        """,
        "insert into stock (sku, quantity, total, price) values ('A1', 5, 5, 10.00)");
  }

  private static ConditionalUpdate stock() {
    return ConditionalUpdate.table("stock").where("sku", "A1");
  }

  private static ConditionalUpdate take(long amount) {
    return stock().decrease("quantity", amount);
  }

  private ConditionalUpdateResult apply(ConditionalUpdate change) {
    return transactions.<ConditionalUpdateResult, RuntimeException>call(change::apply);
  }

  private void changes(ConditionalUpdate change, String column, String to) {
    assertThat(apply(change)).isEqualTo(new Applied());
    assertThat(value(column)).hasToString(to);
  }

  private void refuses(ConditionalUpdate change) {
    String before = schema.query("select * from stock").toString();
    assertThat(apply(change)).isInstanceOf(Rejected.class);
    assertThat(schema.query("select * from stock")).hasToString(before);
  }

  private @Nullable Object value(String column) {
    return schema.query("select " + column + " from stock").get(0).get(column);
  }

  @Test
  void takesOnlyWhatIsThere() {
    changes(take(3).setNow("changed_at"), "quantity", "2");
    assertThat(value("changed_at")).isNotNull();

    assertThat(apply(take(3)))
        .isInstanceOfSatisfying(
            Rejected.class, no -> assertThat(no.current().number("quantity")).isEqualTo(2));
    changes(take(2), "quantity", "0");
    refuses(take(1).set("price", 0));
  }

  @Test
  void keepsAnotherLeast() {
    refuses(take(3).keeping(3));
    changes(take(2).keeping(3), "quantity", "3");
    changes(take(10).keeping(-7), "quantity", "-7");
    refuses(take(1).keeping(-7));
  }

  @Test
  void addsOnlyUpToTheMost() {
    refuses(stock().increase("quantity", 6).upTo(10));
    changes(stock().increase("quantity", 5).upTo(10), "quantity", "10");
    refuses(stock().increase("quantity", 1).upTo(10));
    changes(stock().increase("quantity", 1), "quantity", "11");
  }

  @Test
  void calculatesMoneyToTheCent() {
    changes(stock().decrease("price", new BigDecimal("9.99")), "price", "0.01");
    refuses(stock().decrease("price", new BigDecimal("0.02")));
    changes(stock().decrease("price", new BigDecimal("0.010")), "price", "0.00");
    changes(
        stock().increase("price", new BigDecimal("0.30")).upTo(new BigDecimal("0.3")),
        "price",
        "0.30");
    refuses(stock().increase("price", new BigDecimal("0.01")).upTo(new BigDecimal("0.305")));
  }

  @Test
  void changesNothingThatIsNull() {
    schema.execute("update stock set quantity = null");

    refuses(take(1));
    refuses(take(1).keeping(-10));
    refuses(stock().increase("quantity", 1));
    refuses(stock().increase("quantity", 1).upTo(10));
  }

  @Test
  void failsRatherThanOverflow() {
    schema.execute("update stock set total = " + (Long.MAX_VALUE - 4));

    outOfRange(stock().increase("total", 5));
    outOfRange(stock().increase("total", Long.MAX_VALUE));
    outOfRange(stock().increase("quantity", 3_000_000_000L));
    // H2 has no code of its own for a decimal that is too long
    fails(
        database().name().equals("H2") ? SqlError.UNKNOWN : SqlError.OUT_OF_RANGE,
        stock().increase("price", new BigDecimal("9999999999.99")));
    refuses(stock().increase("total", 5).upTo(Long.MAX_VALUE));
    changes(stock().increase("total", 4).upTo(Long.MAX_VALUE), "total", "" + Long.MAX_VALUE);
    refuses(take(Long.MAX_VALUE));
    refuses(take(Long.MAX_VALUE).keeping(Long.MAX_VALUE));
    refuses(take(1).keeping(new BigDecimal("1e40")));
    schema.execute("update stock set total = " + (Long.MIN_VALUE + 1));
    refuses(stock().decrease("total", 3));
    refuses(stock().decrease("total", 2).keeping(Long.MIN_VALUE));
    changes(stock().decrease("total", 1).keeping(Long.MIN_VALUE), "total", "" + Long.MIN_VALUE);
  }

  private void outOfRange(ConditionalUpdate change) {
    fails(SqlError.OUT_OF_RANGE, change);
    assertThatThrownBy(() -> apply(change)).hasMessageContainingAll("wider", "upTo(…)");
  }

  private void fails(SqlError error, ConditionalUpdate change) {
    String before = schema.query("select * from stock").toString();
    sqlError(error, change);
    assertThat(schema.query("select * from stock")).hasToString(before);
  }

  @Test
  void saysThatARowIsMissing() {
    assertThat(apply(ConditionalUpdate.table("stock").where("sku", "B2").decrease("quantity", 1)))
        .isEqualTo(new NotFound());
  }

  @Test
  void refusesBadAmountsWhenTheyAreGiven() {
    badly("positive", () -> take(0));
    badly("positive", () -> take(-3));
    badly("positive", () -> take(Long.MIN_VALUE));
    badly("positive", () -> stock().increase("quantity", new BigDecimal("-0.01")));
    badly("null", () -> stock().increase("quantity", no(BigDecimal.class)));
    badly("null", () -> take(1).keeping(no(BigDecimal.class)));
    badly("digits", () -> stock().increase("quantity", new BigDecimal("1e1000000000")));
    badly("digits", () -> stock().decrease("quantity", new BigDecimal("1e-1000000000")));
    badly("digits", () -> take(1).keeping(new BigDecimal("-1e1000000000")));
    badly("decrease", () -> stock().increase("quantity", 1).keeping(1));
    badly("increase", () -> take(1).upTo(1));
    badly("transition", () -> take(1).reference("sku", "x"));
    badly("transition", () -> stock().markOnce("used_by", "x").orFrom("x"));
    badly("one thing", () -> take(1).increase("total", 1));
    badly("one thing", () -> take(1).decrease("quantity", 1));
  }

  @Test
  void rejectsInvalidStatesEarly() {
    badly("another state", () -> stock().transition("state", "PAID", "PAID"));
    badly("another state", () -> stock().transition("state", 1, 1L));
    badly("another state", () -> stock().transition("state", "NEW", "PAID").orFrom("PAID"));
    badly("null", () -> stock().transition("state", no(Object.class), "PAID"));
    badly("null", () -> stock().transition("state", "NEW", no(Object.class)));
    badly("null", () -> stock().transition("state", "A", "B").reference("ref", no(Object.class)));
    badly("null", () -> stock().markOnce("used_by", no(Object.class)));
    badly("null", () -> ConditionalUpdate.table("stock").where("sku", no(Object.class)));
    badly("blank", () -> stock().markOnce(" ", "ana"));
    badly("blank", () -> stock().decrease("", 1));
    badly("blank", () -> ConditionalUpdate.table(""));
    badly("no dot", () -> stock().decrease("stock.quantity", 1));
    badly("no dot", () -> stock().markOnce("stock.used_by", "ana"));
    badly("no dot", () -> stock().transition("stock.state", "NEW", "PAID"));
    badly("no dot", () -> stock().transition("a", "X", "Y").reference("stock.b", 1));
    badly("decides", () -> take(1).set("QUANTITY", 7));
    badly("decides", () -> take(1).set("\"Quantity\"", 7));
    badly("decides", () -> take(1).set("`quantity`", 7));
    badly("decides", () -> stock().setNow("used_by").markOnce("used_by", "ana"));
    badly("decides", () -> take(1).where("quantity", 5));
    badly("decides", () -> stock().transition("a", "X", "Y").reference("sku", "A1"));
    badly("both", () -> stock().transition("a", "X", "Y").reference("A", "r"));
    badly("twice", () -> stock().transition("a", "X", "Y").reference("b", 1).reference("B", 1));
  }

  @SuppressWarnings({"NullAway", "UnusedVariable"})
  private static <T> T no(Class<T> type) {
    return null;
  }

  private static void badly(String because, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  @Test
  void refusesBadInputBeforeAnythingIsChanged() {
    refused("where", ConditionalUpdate.table("stock").decrease("quantity", 1));
    refused("what to do", stock());
    refused("what to do", stock().set("quantity", 1));
    refused(
        "name",
        ConditionalUpdate.table("stock; drop table stock")
            .where("sku", "A1")
            .decrease("quantity", 1));
    refused("name", stock().decrease("quantity\" = 0 --", 1));
    refused("name", stock().markOnce("a`b", "x"));
    refused("name", take(1).set("\"; drop table", 1));
    refused("name", stock().transition("a", "X", "Y").reference("b'c", "r"));
    assertThatThrownBy(() -> transactions.readOnly().run(tx -> take(1).apply(tx)))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("read-only");
    assertThat(value("quantity")).hasToString("5");
  }

  private void refused(String because, ConditionalUpdate change) {
    badly(because, () -> apply(change));
  }

  @Test
  void saysWhichNameIsWrong() {
    sqlError(
        SqlError.OBJECT_NOT_FOUND,
        ConditionalUpdate.table("nowhere").where("sku", "A1").decrease("q", 1));
    sqlError(
        SqlError.OBJECT_NOT_FOUND,
        ConditionalUpdate.table("nowhere").where("sku", "A1").decrease("q", new BigDecimal("0.5")));
    sqlError(SqlError.OBJECT_NOT_FOUND, stock().decrease("no_such_column", 1));
    sqlError(SqlError.OBJECT_NOT_FOUND, stock().markOnce("no_such_column", "x"));
    sqlError(SqlError.OBJECT_NOT_FOUND, take(1).set("no_such_column", 1));
    assertThat(value("quantity")).hasToString("5");
  }

  private void sqlError(SqlError error, ConditionalUpdate change) {
    assertThatThrownBy(() -> apply(change))
        .isInstanceOfSatisfying(
            DatabaseException.class, failure -> assertThat(failure.error()).isEqualTo(error));
  }

  @Test
  void refusesAKeyThatNamesSeveralRows() {
    schema.execute("insert into stock (sku, quantity, total) values ('B2', 5, 5)");
    ConditionalUpdate both = ConditionalUpdate.table("stock").where("total", 5);

    for (ConditionalUpdate change :
        new ConditionalUpdate[] {both.decrease("quantity", 1), both.decrease("quantity", 9)}) {
      assertThatThrownBy(
              () ->
                  transactions.run(
                      tx -> {
                        try {
                          change.apply(tx);
                        } catch (GuardException swallowed) {
                          // and commits all the same: the transaction must know better
                        }
                      }))
          .isInstanceOf(HoldfastException.class)
          .hasRootCauseInstanceOf(GuardException.class);
    }
    assertThat(schema.count("select sum(quantity) from stock")).isEqualTo(10);
  }
}
