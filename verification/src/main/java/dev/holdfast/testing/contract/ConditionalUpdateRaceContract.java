package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.ConditionalUpdateResult.AlreadyApplied;
import dev.holdfast.guard.ConditionalUpdateResult.Applied;
import dev.holdfast.guard.ConditionalUpdateResult.NotFound;
import dev.holdfast.guard.ConditionalUpdateResult.Rejected;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.TransactionCallback;
import dev.holdfast.transaction.Transactions;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What conditional changes guarantee to many who want the same at once, in either isolation. */
public abstract class ConditionalUpdateRaceContract extends DatabaseContract {
  private static final String DID_IT = "those who are told that they did it";
  private static final int BUYERS = 100;
  private static final int ITEMS = 10;
  private static final int USERS = 50;
  private static final int WORKERS = 24;
  private static final int DELIVERIES = 16;

  protected ConditionalUpdateRaceContract(TestDatabase database) {
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

  private static ConditionalUpdate buy() {
    return ConditionalUpdate.table("stock").where("sku", "A1").decrease("quantity", 1);
  }

  private static ConditionalUpdate redeem(long user) {
    return ConditionalUpdate.table("coupons").where("code", "TEN").markOnce("used_by", user);
  }

  private static ConditionalUpdate execute() {
    return ConditionalUpdate.table("orders")
        .where("id", 7)
        .transition("status", "PENDING", "EXECUTING");
  }

  private static ConditionalUpdate pay(String reference) {
    return ConditionalUpdate.table("orders")
        .where("id", 7)
        .transition("status", "PENDING", "PAID")
        .reference("payment_ref", reference);
  }

  /** As the database is by default, and in READ COMMITTED. */
  private void inEitherIsolation(Consumer<Transactions> race) {
    race.accept(transactions);
    race.accept(transactions.isolation(Isolation.READ_COMMITTED));
  }

  private static ConditionalUpdateResult apply(
      Transactions transactions, ConditionalUpdate change) {
    return transactions.<ConditionalUpdateResult, RuntimeException>call(change::apply);
  }

  /** Looks first and changes then, after everybody has looked. */
  private ConcurrentActors.Actor<ConditionalUpdateResult> naive(
      int actors, String free, String change) {
    CyclicBarrier allHaveLooked = new CyclicBarrier(actors);
    return actor -> {
      boolean isFree = schema.count(free) == 1;
      allHaveLooked.await(30, TimeUnit.SECONDS);
      if (!isFree) {
        return new NotFound();
      }
      schema.execute(change.formatted(actor));
      return new Applied();
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
  void lastItemsControlLookingFirstFails() {
    caught(
        () ->
            assertSold(
                naive(
                    BUYERS,
                    "select count(*) from stock where quantity >= 1",
                    "update stock set quantity = quantity - 1")));
  }

  private void assertSold(ConcurrentActors.Actor<ConditionalUpdateResult> buyer) {
    schema.execute("update stock set quantity = " + ITEMS);
    List<ConditionalUpdateResult> results = ConcurrentActors.run(BUYERS, buyer).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalUpdateResult::changed).as(DID_IT).hasSize(ITEMS);
    assertThat(results).filteredOn(Rejected.class::isInstance).hasSize(BUYERS - ITEMS);
    assertThat(schema.count("select quantity from stock")).isZero();
  }

  @Test
  void givesACouponToOneUser() {
    inEitherIsolation(in -> assertRedeemedOnce(user -> apply(in, redeem(user))));
  }

  @Test
  void couponControlLookingFirstFails() {
    caught(
        () ->
            assertRedeemedOnce(
                naive(
                    USERS,
                    "select count(*) from coupons where used_by is null",
                    "update coupons set used_by = %d")));
  }

  private void assertRedeemedOnce(ConcurrentActors.Actor<ConditionalUpdateResult> user) {
    schema.execute("update coupons set used_by = null");
    List<ConditionalUpdateResult> results = ConcurrentActors.run(USERS, user).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalUpdateResult::changed).as(DID_IT).hasSize(1);
    long winner = schema.count("select used_by from coupons");
    assertThat(results.get((int) winner)).isEqualTo(new Applied());
    assertThat(results)
        .filteredOn(Rejected.class::isInstance)
        .hasSize(USERS - 1)
        .allSatisfy(
            loser -> assertThat(((Rejected) loser).current().number("used_by")).isEqualTo(winner));
  }

  @Test
  void givesATaskToOneWorker() {
    inEitherIsolation(in -> assertOneExecutes(worker -> apply(in, execute())));
  }

  @Test
  void taskControlLookingFirstFails() {
    caught(
        () ->
            assertOneExecutes(
                naive(
                    WORKERS,
                    "select count(*) from orders where status = 'PENDING'",
                    "update orders set status = 'EXECUTING'")));
  }

  private void assertOneExecutes(ConcurrentActors.Actor<ConditionalUpdateResult> worker) {
    schema.execute("update orders set status = 'PENDING'");
    List<ConditionalUpdateResult> results = ConcurrentActors.run(WORKERS, worker).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalUpdateResult::changed).as(DID_IT).hasSize(1);
    assertThat(results).filteredOn(AlreadyApplied.class::isInstance).hasSize(WORKERS - 1);
  }

  @Test
  void takesPaymentOncePerDelivery() {
    inEitherIsolation(in -> assertPaidOnce(delivery -> apply(in, pay("pay_1"))));
  }

  @Test
  void paymentControlLookingFirstFails() {
    caught(
        () ->
            assertPaidOnce(
                naive(
                    DELIVERIES,
                    "select count(*) from orders where status = 'PENDING'",
                    "update orders set status = 'PAID', payment_ref = 'pay_1'")));
  }

  private void assertPaidOnce(ConcurrentActors.Actor<ConditionalUpdateResult> delivery) {
    schema.execute("update orders set status = 'PENDING', payment_ref = null");
    List<ConditionalUpdateResult> results =
        ConcurrentActors.run(DELIVERIES, delivery).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalUpdateResult::changed).as(DID_IT).hasSize(1);
    assertThat(results).filteredOn(AlreadyApplied.class::isInstance).hasSize(DELIVERIES - 1);
  }

  @Test
  void takesOneOfTwoPayments() {
    inEitherIsolation(in -> assertOnePayment(payment -> apply(in, pay("pay_" + payment))));
  }

  @Test
  void twoPaymentsControlLookingFirstFails() {
    caught(
        () ->
            assertOnePayment(
                naive(
                    2,
                    "select count(*) from orders where status = 'PENDING'",
                    "update orders set status = 'PAID', payment_ref = 'pay_%d'")));
  }

  private void assertOnePayment(ConcurrentActors.Actor<ConditionalUpdateResult> payment) {
    schema.execute("update orders set status = 'PENDING', payment_ref = null");
    List<ConditionalUpdateResult> results = ConcurrentActors.run(2, payment).resultsOrThrow();
    assertThat(results).filteredOn(ConditionalUpdateResult::changed).as(DID_IT).hasSize(1);
    int winner = results.get(0).changed() ? 0 : 1;
    assertThat(results.get(1 - winner))
        .isInstanceOfSatisfying(
            Rejected.class,
            loser -> assertThat(loser.current().text("payment_ref")).isEqualTo("pay_" + winner));
  }

  @Test
  void waitsForFirstThenDecides() {
    inEitherIsolation(in -> assertWaits(in, tx -> redeem(1).apply(tx), tx -> redeem(2).apply(tx)));
  }

  @Test
  void controlDecidingAtOnceFails() {
    TransactionCallback<ConditionalUpdateResult, Exception> atOnce =
        tx ->
            schema.count("select count(*) from coupons where used_by is null") == 1
                ? new Applied()
                : new NotFound();
    caught(Overlap.SECOND_WAITS, () -> assertWaits(transactions, atOnce, atOnce));
  }

  private void assertWaits(
      Transactions in,
      TransactionCallback<ConditionalUpdateResult, Exception> first,
      TransactionCallback<ConditionalUpdateResult, Exception> second) {
    try {
      schema.execute("update coupons set used_by = null");
      Overlap.Answers<ConditionalUpdateResult> rolledBack =
          new Overlap<>(in, first, second).firstRollsBack();
      assertThat(rolledBack.second()).isEqualTo(new Applied());

      schema.execute("update coupons set used_by = null");
      Overlap.Answers<ConditionalUpdateResult> committed =
          new Overlap<>(in, first, second).firstCommits();
      assertThat(committed.first()).isEqualTo(new Applied());
      assertThat(committed.second())
          .isInstanceOfSatisfying(
              Rejected.class, loser -> assertThat(loser.current().number("used_by")).isEqualTo(1));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
