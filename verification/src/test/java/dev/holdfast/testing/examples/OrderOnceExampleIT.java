package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.guard.Conditional;
import dev.holdfast.guard.ConditionalResult;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.RefusedException;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.sql.Transaction;
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

  private OnceResult<Long> click(String key, long total) throws SQLException {
    return holdfast
        .idempotency()
        .once(
            IdempotencyKey.of("POST /orders", key).principal("ana@example.com"),
            Fingerprint.of(Long.toString(total)),
            ReplyCodecs.number(),
            tx -> order(tx, total));
  }

  private static long order(Transaction tx, long total) throws SQLException {
    ConditionalResult paid =
        Conditional.table("account").where("id", 42).decrease("balance", total).apply(tx);
    if (paid instanceof ConditionalResult.Refused) {
      throw new RefusedException("not covered");
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
    OnceResult<Long> first = click("click-1", 30);
    OnceResult<Long> second = click("click-1", 30);

    assertThat(first).isInstanceOf(OnceResult.Executed.class);
    assertThat(second).isInstanceOf(OnceResult.Replayed.class);
    assertThat(second.orThrow()).isEqualTo(first.orThrow());
    assertThat(schema.count("select balance from account")).isEqualTo(70);
    assertThat(click("click-1", 31)).isInstanceOf(OnceResult.Mismatch.class);
  }

  @Test
  void aRefusalStays() {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> click("click-2", 130))
          .isInstanceOfSatisfying(
              RefusedException.class, no -> assertThat(no.reply()).isEqualTo("not covered"));
      schema.execute("update account set balance = 1000");
    }
    assertThat(schema.count("select count(*) from orders")).isZero();
  }
}
