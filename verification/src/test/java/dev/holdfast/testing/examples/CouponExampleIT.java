package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A coupon is used once, and a repeated click of the same user is not an error. */
class CouponExampleIT extends Shop {
  @BeforeEach
  void printACoupon() {
    schema.execute(
        "create table coupons (code varchar(20) primary key, used_by bigint, used_at timestamptz)",
        "insert into coupons values ('TEN', null, null)");
  }

  private String redeem(String code, long userId) {
    return transactions.call(
        tx -> {
          ConditionalUpdateResult result =
              ConditionalUpdate.table("coupons")
                  .where("code", code)
                  .markOnce("used_by", userId)
                  .setNow("used_at")
                  .apply(tx);
          if (result instanceof ConditionalUpdateResult.Rejected refused) {
            return "used by " + refused.current().number("used_by");
          }
          return result instanceof ConditionalUpdateResult.NotFound ? "no such coupon" : "yours";
        });
  }

  @Test
  void oneUserGetsIt() {
    assertThat(redeem("TEN", 42)).isEqualTo("yours");
    assertThat(redeem("TEN", 42)).isEqualTo("yours");
    assertThat(redeem("TEN", 43)).isEqualTo("used by 42");
    assertThat(redeem("TWENTY", 43)).isEqualTo("no such coupon");
  }
}
