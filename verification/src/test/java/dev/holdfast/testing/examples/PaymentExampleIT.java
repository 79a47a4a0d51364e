package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A payment gateway reports the same payment twice, and once a second payment for the same order.
 */
class PaymentExampleIT extends Shop {
  @BeforeEach
  void placeAnOrder() {
    schema.execute(
        "create table orders (id bigint primary key, status varchar(20), payment_ref varchar(50),"
            + " version bigint not null default 0)",
        "insert into orders values (7, 'PENDING')");
  }

  private ConditionalUpdateResult paid(long order, String payment) {
    return transactions.call(
        tx ->
            ConditionalUpdate.table("orders")
                .where("id", order)
                .transition("status", "PENDING", "PAID")
                .reference("payment_ref", payment)
                .version("version")
                .apply(tx));
  }

  @Test
  void theOrderIsPaidOnce() {
    assertThat(paid(7, "pay_1")).isInstanceOf(ConditionalUpdateResult.Applied.class);
    assertThat(paid(7, "pay_1")).isInstanceOf(ConditionalUpdateResult.AlreadyApplied.class);
    assertThat(paid(7, "pay_2"))
        .isInstanceOfSatisfying(
            ConditionalUpdateResult.Rejected.class,
            refused -> assertThat(refused.current().text("payment_ref")).isEqualTo("pay_1"));
  }
}
