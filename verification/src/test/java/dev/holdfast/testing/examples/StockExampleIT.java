package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.testing.ConcurrentActors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Many buyers for the last items: each item is sold once. */
class StockExampleIT extends Shop {
  @BeforeEach
  void fillTheShelf() {
    schema.execute(
        "create table stock (sku varchar(20) primary key, quantity integer not null)",
        "insert into stock values ('A-1', 3)");
  }

  private boolean buy(String sku, int items) {
    return holdfast
        .transactions()
        .call(
            tx ->
                ConditionalUpdate.table("stock")
                    .where("sku", sku)
                    .decrease("quantity", items)
                    .apply(tx)
                    .changed());
  }

  @Test
  void threeItemsForEightBuyers() {
    assertThat(ConcurrentActors.run(8, buyer -> buy("A-1", 1)).resultsOrThrow())
        .filteredOn(bought -> bought)
        .hasSize(3);
    assertThat(schema.count("select quantity from stock")).isZero();
  }
}
