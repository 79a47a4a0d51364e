package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.LockedRows;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.guard.Update;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.transaction.Row;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Money moves between accounts in both directions at once: no deadlock, not a cent lost. */
class TransferExampleIT extends Shop {
  @BeforeEach
  void openAccounts() {
    schema.execute(
        "create table accounts (id bigint primary key, cents bigint not null, version bigint not"
            + " null)",
        "insert into accounts values (1, 1000, 0), (2, 1000, 0)");
  }

  private void transfer(long from, long to, long cents) {
    if (cents <= 0 || from == to) {
      throw new IllegalArgumentException("a positive amount between two accounts, please");
    }
    transactions
        .retrying(3)
        .run(
            tx -> {
              LockedRows accounts = RowLocks.lock(tx, "accounts", List.of(from, to)).requireAll();
              Row source = accounts.row("accounts", from);
              Row target = accounts.row("accounts", to);
              if (source.number("cents") < cents) {
                throw new IllegalStateException("account " + from + " has too little");
              }
              Update.table("accounts")
                  .set("cents", source.number("cents") - cents)
                  .where("id", from)
                  .version(source.number("version"))
                  .applyOrThrow(tx);
              Update.table("accounts")
                  .set("cents", target.number("cents") + cents)
                  .where("id", to)
                  .version(target.number("version"))
                  .applyOrThrow(tx);
            });
  }

  @Test
  void transfersInOppositeDirections() {
    ConcurrentActors.run(
            8,
            actor -> {
              transfer(actor % 2 == 0 ? 1 : 2, actor % 2 == 0 ? 2 : 1, 10);
              return actor;
            })
        .resultsOrThrow();

    assertThat(schema.count("select sum(cents) from accounts")).isEqualTo(2000);
    assertThat(schema.count("select cents from accounts where id = 1")).isEqualTo(1000);
  }
}
