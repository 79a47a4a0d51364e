package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.codec.Codec;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.RejectedException;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A customer clicks twice on "order". One order is placed and paid, and both clicks get its number.
 */
class OrderOnceExampleIT extends Shop {
  @BeforeEach
  void openAnAccount() {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(
        "create table account (id bigint primary key, balance bigint not null)",
        "insert into account values (42, 100)",
        "create table orders (id bigint generated always as identity primary key, total bigint)");
  }

  private IdempotencyResult<Long> click(String key, long total) throws SQLException {
    return holdfast
        .idempotency()
        .execute(
            IdempotencyRequest.of(
                    IdempotencyKey.of("POST /orders", key).principal("ana@example.com"),
                    Codec.longs())
                .fingerprint(Fingerprint.of(Long.toString(total))),
            tx -> order(tx, total));
  }

  private static long order(Transaction tx, long total) throws SQLException {
    ConditionalUpdateResult paid =
        ConditionalUpdate.table("account").where("id", 42).decrease("balance", total).apply(tx);
    if (paid instanceof ConditionalUpdateResult.Rejected) {
      throw new RejectedException("not covered");
    }
    try (PreparedStatement insert =
        tx.connection().prepareStatement("insert into orders (total) values (?) returning id")) {
      insert.setLong(1, total);
      try (ResultSet row = insert.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  @Test
  void twoClicksAreOneOrder() throws SQLException {
    IdempotencyResult<Long> first = click("click-1", 30);
    IdempotencyResult<Long> second = click("click-1", 30);

    assertThat(first).isInstanceOf(IdempotencyResult.Executed.class);
    assertThat(second).isInstanceOf(IdempotencyResult.Replayed.class);
    assertThat(second.orElseThrow()).isEqualTo(first.orElseThrow());
    assertThat(schema.count("select balance from account")).isEqualTo(70);
    assertThat(click("click-1", 31)).isInstanceOf(IdempotencyResult.KeyReused.class);
  }

  @Test
  void aRefusalStays() {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> click("click-2", 130))
          .isInstanceOfSatisfying(
              RejectedException.class, no -> assertThat(no.text()).isEqualTo("not covered"));
      schema.execute("update account set balance = 1000");
    }
    assertThat(schema.count("select count(*) from orders")).isZero();
  }
}
