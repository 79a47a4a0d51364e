package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.ConditionalUpdateResult.Applied;
import dev.holdfast.guard.Update;
import dev.holdfast.guard.UpdateResult;
import dev.holdfast.guard.UpdateResult.Conflict;
import dev.holdfast.testing.TestDatabase;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How conditional changes and versioned updates get along in one table. */
public abstract class ConditionalUpdateVersionContract extends DatabaseContract {
  protected ConditionalUpdateVersionContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createStock() {
    schema.execute(
        "create table stock (id bigint primary key, n integer, owner varchar(20), status"
            + " varchar(20), version bigint not null)",
        "insert into stock (id, n, status, version) values (7, 5, 'NEW', 0)");
  }

  private static ConditionalUpdate stock() {
    return ConditionalUpdate.table("stock").where("id", 7);
  }

  private ConditionalUpdateResult apply(ConditionalUpdate change) {
    return transactions.<ConditionalUpdateResult, RuntimeException>call(change::apply);
  }

  private UpdateResult overwrite(long version) {
    return transactions.<UpdateResult, RuntimeException>call(
        Update.table("stock").set("n", 6).where("id", 7).version(version)::apply);
  }

  @Test
  void doesNotOverwriteUnseenChange() {
    assertThat(apply(stock().decrease("n", 1).version("version"))).isEqualTo(new Applied());

    assertThat(overwrite(0))
        .isInstanceOfSatisfying(
            Conflict.class,
            conflict -> {
              assertThat(conflict.version()).isEqualTo(1);
              assertThat(conflict.current().number("n")).isEqualTo(4);
            });
    assertThat(schema.count("select n from stock")).isEqualTo(4);
  }

  @Test
  void controlWithoutVersionIncrementFails() {
    assertThat(apply(stock().decrease("n", 1))).isEqualTo(new Applied());

    assertThat(overwrite(0)).isInstanceOf(UpdateResult.Applied.class);
    assertThat(schema.count("select n from stock")).as("the decrease is lost").isEqualTo(6);
  }

  @Test
  void everyKindOfChangeRaisesTheVersionByOne() {
    apply(stock().version("version").increase("n", 1));
    apply(stock().markOnce("owner", "ana").version("version"));
    apply(stock().transition("status", "NEW", "SOLD").set("n", 0).version("version"));

    assertThat(schema.count("select version from stock where n = 0 and status = 'SOLD'"))
        .isEqualTo(3);
  }

  @Test
  void whatChangesNothingLeavesTheVersion() {
    assertThat(apply(stock().decrease("n", 6).version("version")).changed()).isFalse();
    assertThat(apply(stock().transition("status", "OLD", "NEW").version("version")).changed())
        .isFalse();

    assertThat(schema.count("select version from stock")).isZero();
  }

  @Test
  void refusesAVersionThatSomethingElseDecides() {
    refused(() -> stock().version("version").set("VERSION", 3));
    refused(() -> stock().set("version", 3).version("version"));
    refused(() -> stock().increase("version", 1).version("version"));
    refused(() -> stock().version("version").increase("Version", 1));
    refused(() -> stock().version("id"));
    refused(() -> stock().version("a.b"));
    refused(() -> stock().version(" "));
  }

  private static void refused(Runnable building) {
    assertThatThrownBy(building::run).isInstanceOf(InvalidArgumentException.class);
  }
}
