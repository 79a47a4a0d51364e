package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.GuardException;
import dev.holdfast.guard.OptimisticLockException;
import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionStateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the versioned update guarantees. */
public abstract class UpdateContract extends DatabaseContract {
  protected UpdateContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createCart() {
    schema.execute(
        """
        create table cart_items (
          id bigint primary key,
          quantity integer not null,
          note varchar(100),
          changed_at timestamp(6) null,
          version bigint not null)
        """,
        "insert into cart_items (id, quantity, version) values (7, 1, 5)");
  }

  private static Update quantity(int quantity) {
    return Update.table("cart_items").set("quantity", quantity).where("id", 7);
  }

  @Test
  void changesTheRowAndRaisesItsVersion() {
    UpdateResult result =
        transactions.call(tx -> quantity(3).setNow("changed_at").version(5).apply(tx));

    assertThat(result).isEqualTo(new UpdateResult.Applied(6));
    assertThat(schema.count("select quantity from cart_items where version = 6")).isEqualTo(3);
    assertThat(schema.count("select count(*) from cart_items where changed_at is not null"))
        .isEqualTo(1);
  }

  @Test
  void rejectsStaleVersionAndShowsRow() {
    UpdateResult result = transactions.call(tx -> quantity(3).version(4).apply(tx));

    assertThat(result).isInstanceOf(UpdateResult.Conflict.class);
    UpdateResult.Conflict conflict = (UpdateResult.Conflict) result;
    assertThat(conflict.version()).isEqualTo(5);
    assertThat(conflict.current().number("quantity")).isEqualTo(1);
    assertThat(schema.count("select quantity from cart_items")).isEqualTo(1);
  }

  @Test
  void takesAVersionColumnInQuotes() {
    schema.execute(
        "create table quoted (id bigint primary key, n integer, %s bigint)"
            .formatted(quoted("rowVersion")),
        "insert into quoted values (7, 1, 5)");
    Update update = Update.table("quoted").set("n", 2).where("id", 7);

    UpdateResult conflict = transactions.call(tx -> update.version("\"rowVersion\"", 4).apply(tx));
    assertThat(((UpdateResult.Conflict) conflict).version()).isEqualTo(5);
    UpdateResult applied = transactions.call(tx -> update.version("\"rowVersion\"", 5).apply(tx));
    assertThat(applied).isEqualTo(new UpdateResult.Applied(6));
  }

  private String quoted(String name) {
    return database().name().equals("MariaDB") || database().name().equals("MySQL")
        ? "`" + name + "`"
        : "\"" + name + "\"";
  }

  @Test
  void takesAVersionThatIsNullForAConflict() {
    schema.execute(
        "create table unversioned (id bigint primary key, n integer, version bigint)",
        "insert into unversioned values (7, 1, null)");
    Update update = Update.table("unversioned").set("n", 2).where("id", 7).version(0);

    UpdateResult result = transactions.call(update::apply);
    assertThat(result)
        .isInstanceOfSatisfying(
            UpdateResult.Conflict.class,
            conflict -> assertThat(conflict.version()).isEqualTo(UpdateResult.Conflict.NO_VERSION));
    assertThatThrownBy(() -> transactions.run(update::applyOrThrow))
        .isInstanceOfSatisfying(
            OptimisticLockException.class, e -> assertThat(e.actualVersion()).isNull())
        .hasMessageContainingAll("unversioned", "'version' is null");
  }

  @Test
  void saysThatARowIsMissing() {
    UpdateResult result =
        transactions.call(
            tx ->
                Update.table("cart_items").set("quantity", 3).where("id", 8).version(5).apply(tx));

    assertThat(result).isEqualTo(new UpdateResult.NotFound());
  }

  @Test
  void exceptionDescribesConflict() {
    OptimisticLockException conflict =
        catchThrowableOfType(
            OptimisticLockException.class,
            () -> transactions.run(tx -> quantity(3).version(4).applyOrThrow(tx)));

    assertThat(conflict.table()).isEqualTo("cart_items");
    assertThat(conflict.key()).isEqualTo("{id=7}");
    assertThat(conflict.expectedVersion()).isEqualTo(4);
    assertThat(conflict.actualVersion()).isEqualTo(5);
    assertThat(conflict.code()).isEqualTo("optimistic-lock");
    assertThat(conflict).hasMessageContainingAll("cart_items", "id=7", "version 4", "5");
  }

  @Test
  void doesNotTryAgainOnARowThatIsGone() {
    AtomicInteger attempts = new AtomicInteger();

    assertThatThrownBy(
            () ->
                transactions
                    .retrying(5)
                    .run(
                        tx -> {
                          attempts.incrementAndGet();
                          Update.table("cart_items")
                              .set("quantity", 3)
                              .where("id", 8)
                              .version(5)
                              .applyOrThrow(tx);
                        }))
        .isInstanceOfSatisfying(
            OptimisticLockException.class,
            gone -> {
              assertThat(gone.isRetryable()).isFalse();
              assertThat(gone.actualVersion()).isNull();
            });
    assertThat(attempts).hasValue(1);
    assertThatThrownBy(() -> transactions.run(tx -> quantity(3).version(4).applyOrThrow(tx)))
        .matches(conflict -> ((HoldfastException) conflict).isRetryable());
  }

  @Test
  void rollsBackWithTheCallersTransaction() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      quantity(3).version(5).applyOrThrow(tx);
                      throw new IllegalStateException("the caller changed its mind");
                    }))
        .isInstanceOf(IllegalStateException.class);

    assertThat(schema.count("select quantity from cart_items")).isEqualTo(1);
  }

  @Test
  void comparesChosenColumnsWithoutVersion() {
    Update toThree = quantity(3).expect("quantity", 1).expect("note", null);

    assertThat(transactions.<UpdateResult, RuntimeException>call(toThree::apply))
        .isEqualTo(new UpdateResult.Applied(0));
    assertThat(transactions.<UpdateResult, RuntimeException>call(toThree::apply))
        .isInstanceOfSatisfying(
            UpdateResult.Conflict.class,
            conflict -> assertThat(conflict.current().number("quantity")).isEqualTo(3));
  }

  @Test
  void takesCaseAndSpacesForADifference() {
    schema.execute("update cart_items set note = 'Bob'");

    assertThat(
            transactions.<UpdateResult, RuntimeException>call(
                tx -> quantity(3).expect("note", "bob ").apply(tx)))
        .isInstanceOf(UpdateResult.Conflict.class);
  }

  @Test
  void bindsWhateverAColumnCanHold() {
    schema.execute(
        "create table odd (id varchar(36) primary key, price decimal(20, 4), at_time timestamp(6)"
            + " null, flag boolean, version integer not null)",
        "insert into odd (id, version) values ('0b0e7f34-1d1c-4b55-9d3c-0d6f0a1a2b3c', 0)");
    Instant at = Instant.parse("2026-11-15T09:00:00.123456Z");

    transactions.run(
        tx ->
            Update.table("odd")
                .set("price", new java.math.BigDecimal("12345678901234.5678"))
                .set("at_time", at)
                .set("flag", true)
                .where("id", "0b0e7f34-1d1c-4b55-9d3c-0d6f0a1a2b3c")
                .version(0)
                .applyOrThrow(tx));

    var row = schema.query("select * from odd").get(0);
    assertThat(row.get("price")).hasToString("12345678901234.5678");
    assertThat(row.get("version")).hasToString("1");
    assertThat(row.get("at_time")).isNotNull();
  }

  @Test
  void mergesWithWhatOthersHaveChanged() {
    transactions.run(tx -> quantity(10).version(5).applyOrThrow(tx));

    UpdateResult result =
        transactions.call(
            tx ->
                quantity(2)
                    .version(5)
                    .applyMerging(
                        tx,
                        3,
                        (wanted, current) ->
                            Optional.of(Map.of("quantity", current.number("quantity") + 1))));

    assertThat(result).isEqualTo(new UpdateResult.Applied(7));
    assertThat(schema.count("select quantity from cart_items")).isEqualTo(11);
  }

  @Test
  void givesUpMergingWhenAskedTo() {
    UpdateResult result =
        transactions.call(
            tx ->
                quantity(2).version(4).applyMerging(tx, 3, (wanted, current) -> Optional.empty()));

    assertThat(result).isInstanceOf(UpdateResult.Conflict.class);
    assertThat(schema.count("select quantity from cart_items")).isEqualTo(1);
  }

  @Test
  void refusesBadInputBeforeAnythingIsChanged() {
    refused("where", Update.table("cart_items").set("quantity", 3).version(5));
    refused("expects", quantity(3));
    refused("set", Update.table("cart_items").where("id", 7).version(5));
    refused("version", quantity(3).set("version", 9).version(5));
    refused(
        "name",
        Update.table("cart_items; drop table cart_items").set("a", 1).where("id", 7).version(5));
    refused("name", Update.table("cart_items").set("\"; drop table", 1).where("id", 7).version(5));
    assertThatThrownBy(() -> quantity(3).version(-1)).isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> quantity(3).version(Long.MAX_VALUE))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> quantity(3).set("QUANTITY", 4)).hasMessageContaining("twice");
    assertThatThrownBy(() -> quantity(3).set("\"Quantity\"", 4)).hasMessageContaining("twice");
    assertThatThrownBy(() -> quantity(3).where("`ID`", 8)).hasMessageContaining("twice");
    assertThatThrownBy(() -> quantity(3).set("cart_items.note", "x"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("no dot");
    assertThatThrownBy(() -> quantity(3).version("cart_items.version", 5))
        .hasMessageContaining("no dot");
    refused("version", quantity(3).set("\"Version\"", 9).version(5));
    assertThatThrownBy(() -> Update.table(" ")).isInstanceOf(InvalidArgumentException.class);
    assertThat(schema.count("select quantity from cart_items where version = 5")).isEqualTo(1);
  }

  private void refused(String because, Update update) {
    assertThatThrownBy(() -> transactions.run(tx -> update.apply(tx)))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  @Test
  void saysWhichNameIsWrong() {
    sqlError(
        SqlError.OBJECT_NOT_FOUND,
        Update.table("no_such_table").set("a", 1).where("id", 7).version(5));
    sqlError(SqlError.OBJECT_NOT_FOUND, quantity(3).set("no_such_column", 1).version(5));
    sqlError(
        SqlError.OUT_OF_RANGE,
        Update.table("cart_items").set("quantity", 3_000_000_000L).where("id", 7).version(5));
    assertThat(schema.count("select quantity from cart_items where version = 5")).isEqualTo(1);
  }

  @Test
  void saysThatAVersionIsNull() {
    schema.execute(
        "create table notes (id bigint primary key, note varchar(10), \"Rev\" bigint)"
            .replace('"', schema.url().startsWith("jdbc:m") ? '`' : '"'),
        "insert into notes (id) values (7)");
    Update update = Update.table("notes").set("note", "x").where("id", 7).version("\"Rev\"", 0);

    assertThatThrownBy(() -> transactions.retrying(3).run(tx -> update.applyOrThrow(tx)))
        .isInstanceOf(OptimisticLockException.class)
        .hasMessageContainingAll("'Rev'", "id=7", "null", "NOT NULL DEFAULT 0");
  }

  @Test
  void saysWhichValueTheDriverDoesNotTake() {
    Update wrong = quantity(3).set("note", new Thread("a note")).version(5);

    assertThatThrownBy(() -> transactions.run(tx -> wrong.apply(tx)))
        .isInstanceOf(DatabaseException.class)
        .message()
        .satisfiesAnyOf(
            message -> assertThat(message).contains("parameter 2", "java.lang.Thread"),
            // H2 finds out only when it wants to serialize it
            message -> assertThat(message).containsIgnoringCase("serial"));
  }

  private void sqlError(SqlError error, Update update) {
    assertThatThrownBy(() -> transactions.run(tx -> update.apply(tx)))
        .isInstanceOfSatisfying(
            DatabaseException.class, failure -> assertThat(failure.error()).isEqualTo(error));
  }

  @Test
  void refusesAKeyThatNamesSeveralRows() {
    schema.execute("insert into cart_items (id, quantity, version) values (8, 1, 5)");

    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      try {
                        // by way of the connection, as code of others would join it
                        Transaction joined = Transaction.of(tx.connection());
                        Update.table("cart_items")
                            .set("note", "x")
                            .where("quantity", 1)
                            .version(5)
                            .apply(joined);
                      } catch (GuardException swallowed) {
                        // and commits all the same: the transaction must know better
                      }
                    }))
        .isInstanceOf(HoldfastException.class)
        .hasRootCauseInstanceOf(GuardException.class);
    assertThat(schema.count("select count(*) from cart_items where note is null")).isEqualTo(2);
  }

  @Test
  void rejectsConnectionWithoutTransaction() throws SQLException {
    Update update = quantity(3).version(5);
    assertThatThrownBy(() -> transactions.readOnly().run(tx -> update.apply(tx)))
        .isInstanceOf(TransactionStateException.class)
        .hasMessageContaining("read-only");
    Connection connection = schema.unpooled().getConnection();
    try (connection) {
      assertThatThrownBy(() -> Transaction.of(connection)).hasMessageContaining("autocommit");
    }
    assertThatThrownBy(() -> Transaction.of(connection)).hasMessageContaining("closed");
    assertThat(schema.count("select quantity from cart_items where version = 5")).isEqualTo(1);
  }
}
