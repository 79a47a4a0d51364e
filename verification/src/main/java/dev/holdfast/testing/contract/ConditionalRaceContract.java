package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.Conditional;
import dev.holdfast.guard.ConditionalResult;
import dev.holdfast.guard.ConditionalResult.AlreadySo;
import dev.holdfast.guard.ConditionalResult.Changed;
import dev.holdfast.guard.ConditionalResult.Missing;
import dev.holdfast.guard.ConditionalResult.Refused;
import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.Work;
import dev.holdfast.testing.Actors;
import dev.holdfast.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What conditional changes guarantee to many who want the same at once, in either isolation. */
public abstract class ConditionalRaceContract extends DatabaseContract {
  private static final String DID_IT = "those who are told that they did it";
  private static final int BUYERS = 100;
  private static final int ITEMS = 10;
  private static final int USERS = 50;
  private static final int WORKERS = 24;
  private static final int DELIVERIES = 16;

  protected ConditionalRaceContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createShop() {
    schema.execute(
        "create table stock (sku varchar(20) primary key, quantity integer not null)",
        "insert into stock values ('A1', 0)",
        "create table coupons (code varchar(20) primary key, used_by bigint)",
        "insert into coupons (code) values ('TEN')",
        "create table orders (id bigint primary key, status varchar(20) not null,"
            + " payment_ref varchar(50))",
        "insert into orders (id, status) values (7, 'PENDING')");
  }

  private static Conditional buy() {
    return Conditional.table("stock").where("sku", "A1").decrease("quantity", 1);
  }

  private static Conditional redeem(long user) {
    return Conditional.table("coupons").where("code", "TEN").markOnce("used_by", user);
  }

  private static Conditional execute() {
    return Conditional.table("orders").where("id", 7).transition("status", "PENDING", "EXECUTING");
  }

  private static Conditional pay(String reference) {
    return Conditional.table("orders")
        .where("id", 7)
        .transition("status", "PENDING", "PAID")
        .reference("payment_ref", reference);
  }

  /** As the database is by default, and in READ COMMITTED. */
  private void inEitherIsolation(Consumer<Transactions> race) {
    race.accept(transactions);
    race.accept(transactions.isolation(Isolation.READ_COMMITTED));
  }

  private static ConditionalResult apply(Transactions transactions, Conditional change) {
    return transactions.<ConditionalResult, RuntimeException>call(change::apply);
  }

  /** Looks first and changes then, after everybody has looked. */
  private Actors.Actor<ConditionalResult> naive(int actors, String free, String change) {
    CyclicBarrier allHaveLooked = new CyclicBarrier(actors);
    return actor -> {
      boolean isFree = schema.count(free) == 1;
      allHaveLooked.await(30, TimeUnit.SECONDS);
      if (!isFree) {
        return new Missing();
      }
      schema.execute(change.formatted(actor));
      return new Changed();
    };
  }

  /** By the number of those who did it, and by nothing else. */
  private static void caught(Runnable assertion) {
    caught(DID_IT, assertion);
  }

  private static void caught(String reason, Runnable assertion) {
    assertThatThrownBy(assertion::run)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining(reason);
  }

  @Test
  void sellsTheLastItemsOnceEach() {
    inEitherIsolation(in -> assertSold(buyer -> apply(in, buy())));
  }

  @Test
  void theTestOfTheLastItemsCatchesBuyersWhoLookFirst() {
    caught(
        () ->
            assertSold(
                naive(
                    BUYERS,
                    "select count(*) from stock where quantity >= 1",
                    "update stock set quantity = quantity - 1")));
  }

  private void assertSold(Actors.Actor<ConditionalResult> buyer) {
    schema.execute("update stock set quantity = " + ITEMS);
    List<ConditionalResult> results = Actors.run(BUYERS, buyer).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalResult::changed).as(DID_IT).hasSize(ITEMS);
    assertThat(results).filteredOn(Refused.class::isInstance).hasSize(BUYERS - ITEMS);
    assertThat(schema.count("select quantity from stock")).isZero();
  }

  @Test
  void givesACouponToOneUser() {
    inEitherIsolation(in -> assertRedeemedOnce(user -> apply(in, redeem(user))));
  }

  @Test
  void theTestOfTheCouponCatchesUsersWhoLookFirst() {
    caught(
        () ->
            assertRedeemedOnce(
                naive(
                    USERS,
                    "select count(*) from coupons where used_by is null",
                    "update coupons set used_by = %d")));
  }

  private void assertRedeemedOnce(Actors.Actor<ConditionalResult> user) {
    schema.execute("update coupons set used_by = null");
    List<ConditionalResult> results = Actors.run(USERS, user).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalResult::changed).as(DID_IT).hasSize(1);
    long winner = schema.count("select used_by from coupons");
    assertThat(results.get((int) winner)).isEqualTo(new Changed());
    assertThat(results)
        .filteredOn(Refused.class::isInstance)
        .hasSize(USERS - 1)
        .allSatisfy(
            loser -> assertThat(((Refused) loser).current().number("used_by")).isEqualTo(winner));
  }

  @Test
  void givesATaskToOneWorker() {
    inEitherIsolation(in -> assertOneExecutes(worker -> apply(in, execute())));
  }

  @Test
  void theTestOfTheTaskCatchesWorkersWhoLookFirst() {
    caught(
        () ->
            assertOneExecutes(
                naive(
                    WORKERS,
                    "select count(*) from orders where status = 'PENDING'",
                    "update orders set status = 'EXECUTING'")));
  }

  private void assertOneExecutes(Actors.Actor<ConditionalResult> worker) {
    schema.execute("update orders set status = 'PENDING'");
    List<ConditionalResult> results = Actors.run(WORKERS, worker).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalResult::changed).as(DID_IT).hasSize(1);
    assertThat(results).filteredOn(AlreadySo.class::isInstance).hasSize(WORKERS - 1);
  }

  @Test
  void takesAPaymentOnceHoweverOftenItIsDelivered() {
    inEitherIsolation(in -> assertPaidOnce(delivery -> apply(in, pay("pay_1"))));
  }

  @Test
  void theTestOfThePaymentCatchesDeliveriesThatLookFirst() {
    caught(
        () ->
            assertPaidOnce(
                naive(
                    DELIVERIES,
                    "select count(*) from orders where status = 'PENDING'",
                    "update orders set status = 'PAID', payment_ref = 'pay_1'")));
  }

  private void assertPaidOnce(Actors.Actor<ConditionalResult> delivery) {
    schema.execute("update orders set status = 'PENDING', payment_ref = null");
    List<ConditionalResult> results = Actors.run(DELIVERIES, delivery).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalResult::changed).as(DID_IT).hasSize(1);
    assertThat(results).filteredOn(AlreadySo.class::isInstance).hasSize(DELIVERIES - 1);
  }

  @Test
  void takesOneOfTwoPaymentsAndShowsItToTheOther() {
    inEitherIsolation(in -> assertOnePayment(payment -> apply(in, pay("pay_" + payment))));
  }

  @Test
  void theTestOfTwoPaymentsCatchesPaymentsThatLookFirst() {
    caught(
        () ->
            assertOnePayment(
                naive(
                    2,
                    "select count(*) from orders where status = 'PENDING'",
                    "update orders set status = 'PAID', payment_ref = 'pay_%d'")));
  }

  private void assertOnePayment(Actors.Actor<ConditionalResult> payment) {
    schema.execute("update orders set status = 'PENDING', payment_ref = null");
    List<ConditionalResult> results = Actors.run(2, payment).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalResult::changed).as(DID_IT).hasSize(1);
    int winner = results.get(0).changed() ? 0 : 1;
    assertThat(results.get(1 - winner))
        .isInstanceOfSatisfying(
            Refused.class,
            loser -> assertThat(loser.current().text("payment_ref")).isEqualTo("pay_" + winner));
  }

  @Test
  void waitsForWhoeverWasFirstAndDecidesThen() {
    inEitherIsolation(in -> assertWaits(in, tx -> redeem(1).apply(tx), tx -> redeem(2).apply(tx)));
  }

  @Test
  void theTestOfWaitingCatchesAMarkThatDecidesAtOnce() {
    Work<ConditionalResult, Exception> atOnce =
        tx ->
            schema.count("select count(*) from coupons where used_by is null") == 1
                ? new Changed()
                : new Missing();
    caught(Overlap.SECOND_WAITS, () -> assertWaits(transactions, atOnce, atOnce));
  }

  private void assertWaits(
      Transactions in,
      Work<ConditionalResult, Exception> first,
      Work<ConditionalResult, Exception> second) {
    try {
      schema.execute("update coupons set used_by = null");
      Overlap.Answers<ConditionalResult> rolledBack =
          new Overlap<>(in, first, second).firstRollsBack();
      assertThat(rolledBack.second()).isEqualTo(new Changed());

      schema.execute("update coupons set used_by = null");
      Overlap.Answers<ConditionalResult> committed =
          new Overlap<>(in, first, second).firstCommits();
      assertThat(committed.first()).isEqualTo(new Changed());
      assertThat(committed.second())
          .isInstanceOfSatisfying(
              Refused.class, loser -> assertThat(loser.current().number("used_by")).isEqualTo(1));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
