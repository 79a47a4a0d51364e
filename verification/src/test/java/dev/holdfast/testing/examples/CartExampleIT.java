package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A cart is open in two browser tabs: nobody overwrites what they have not seen. */
class CartExampleIT extends Shop {
  @BeforeEach
  void fillTheCart() {
    schema.execute(
        "create table cart_items (id bigint primary key, quantity integer, version bigint not"
            + " null)",
        "insert into cart_items values (7, 1, 5)");
  }

  private String changeQuantity(long item, int quantity, long versionThatWasShown) {
    return transactions.call(
        tx -> {
          UpdateResult result =
              Update.table("cart_items")
                  .set("quantity", quantity)
                  .where("id", item)
                  .version(versionThatWasShown)
                  .apply(tx);
          if (result instanceof UpdateResult.Conflict conflict) {
            return "changed to " + conflict.current().number("quantity");
          }
          return result instanceof UpdateResult.Applied ? "changed" : "no longer in the cart";
        });
  }

  @Test
  void secondTabGetsConflict() {
    assertThat(changeQuantity(7, 3, 5)).isEqualTo("changed");
    assertThat(changeQuantity(7, 2, 5)).isEqualTo("changed to 3");
    assertThat(changeQuantity(8, 2, 5)).isEqualTo("no longer in the cart");
  }

  @Test
  void aMergeReconcilesBoth() {
    changeQuantity(7, 3, 5);

    UpdateResult result =
        transactions.call(
            tx ->
                Update.table("cart_items")
                    .set("quantity", 2)
                    .where("id", 7)
                    .version(5)
                    .applyMerging(
                        tx,
                        3,
                        (wanted, current) ->
                            Optional.of(larger(wanted, current.number("quantity")))));

    assertThat(result).isEqualTo(new UpdateResult.Applied(7));
    assertThat(schema.count("select quantity from cart_items")).isEqualTo(3);
  }

  private static Map<String, @Nullable Object> larger(
      Map<String, @Nullable Object> wanted, long current) {
    Integer mine = (Integer) wanted.get("quantity");
    return Map.of("quantity", mine == null ? current : Math.max(mine, current));
  }
}
