package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.ConditionalUpdateResult;
import dev.holdfast.guard.ConditionalUpdateResult.Applied;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which columns conditional changes of numbers accept: those that do not round. */
public abstract class ConditionalUpdateColumnContract extends DatabaseContract {
  private int columns;

  protected ConditionalUpdateColumnContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createStock() {
    schema.execute(
        """
        create table stock (
          sku varchar(20) primary key,
          quantity integer,
          total bigint,
          price decimal(12, 2))
        """,
        "insert into stock (sku, quantity, total, price) values ('A1', 5, 5, 10.00)");
  }

  private static ConditionalUpdate stock() {
    return ConditionalUpdate.table("stock").where("sku", "A1");
  }

  private static ConditionalUpdate take(long amount) {
    return stock().decrease("quantity", amount);
  }

  private ConditionalUpdateResult apply(ConditionalUpdate change) {
    return transactions.<ConditionalUpdateResult, RuntimeException>call(change::apply);
  }

  private void changes(ConditionalUpdate change, String column, String to) {
    assertThat(apply(change)).isEqualTo(new Applied());
    assertThat(value(column)).hasToString(to);
  }

  private @Nullable Object value(String column) {
    return schema.query("select " + column + " from stock").get(0).get(column);
  }

  @Test
  void refusesAmountsThatTheColumnWouldRound() {
    refused("decimal places", stock().decrease("price", new BigDecimal("0.001")));
    refused("decimal places", stock().increase("quantity", new BigDecimal("0.5")));
    refused("decimal places", stock().decrease("total", new BigDecimal("0.5")));
    changes(stock().decrease("total", new BigDecimal("2.000")), "total", "3");
    schema.execute("update stock set price = 10");
    changes(stock().decrease("price", new BigDecimal("0.50")), "price", "9.50");
    refused("decimal places", stock().decrease("price", new BigDecimal("0.001")));
  }

  @Test
  void takesAnyFractionWhereTheColumnKeepsAll() {
    String type =
        switch (database().name()) {
          case "PostgreSQL" -> "numeric";
          case "H2" -> "decfloat";
          default -> "decimal(30, 20)";
        };
    schema.execute("alter table stock add fine " + type, "update stock set fine = 1");

    assertThat(apply(stock().decrease("fine", new BigDecimal("0.0625")))).isEqualTo(new Applied());
    assertThat(schema.count("select count(*) from stock where fine = 0.9375")).isEqualTo(1);
  }

  @Test
  void refusesColumnsThatRoundWithoutAWord() {
    roundingColumn("real", "real");
    roundingColumn("float", "float");
    roundingColumn("double precision", "double");
    switch (database().name()) {
      case "PostgreSQL" -> roundingColumn("numeric(8, -2)", "(8, -2)");
      case "H2" -> roundingColumn("decfloat(5)", "decfloat");
      default -> roundingColumn("varchar(20)", "varchar");
    }
  }

  /** 1 added to a million is nothing to some of them, and something else to others. */
  private void roundingColumn(String type, String named) {
    String column = "coarse_" + columns++;
    schema.execute(
        "alter table stock add " + column + " " + type, "update stock set " + column + " = 1e6");
    for (ConditionalUpdate change :
        new ConditionalUpdate[] {
          stock().increase(column, 1),
          stock().decrease(column, 1),
          stock().increase(column, 100),
          stock().increase(column, new BigDecimal("0.5")).upTo(2_000_000)
        }) {
      assertThatThrownBy(() -> apply(change))
          .as(type)
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContainingAll("'" + column + "'", "'stock'", "integer or decimal")
          .message()
          .satisfiesAnyOf(
              message -> assertThat(message).containsIgnoringCase(named),
              // what H2 and PostgreSQL call a float is a double
              message -> assertThat(message).matches("(?is).*was (double.*|float[48]|real)"));
    }
    assertThat(schema.count("select count(*) from stock where " + column + " = 1e6")).isEqualTo(1);
  }

  @Test
  void takesEveryExactType() {
    for (String type : exactTypes()) {
      String column = "exact_" + columns++;
      schema.execute(
          "alter table stock add " + column + " " + type, "update stock set " + column + " = 5");
      assertThat(apply(stock().decrease(column, 2))).as(type).isEqualTo(new Applied());
      assertThat(schema.count("select count(*) from stock where " + column + " = 3"))
          .as(type)
          .isEqualTo(1);
    }
  }

  private List<String> exactTypes() {
    List<String> types =
        new ArrayList<>(
            List.of("smallint", "integer", "bigint", "decimal(5)", "numeric(5, 3)", "numeric(40)"));
    switch (database().name()) {
      case "PostgreSQL" -> {
        schema.execute("create domain pieces as numeric(7, 1) check (value >= 0)");
        types.addAll(List.of("numeric", "pieces", "numeric(1000, 500)"));
      }
      case "H2" -> types.addAll(List.of("tinyint", "decfloat", "numeric(2000, 1500)"));
      default ->
          types.addAll(
              List.of(
                  "tinyint",
                  "tinyint(1)",
                  "boolean",
                  "mediumint",
                  "int unsigned",
                  "bigint unsigned",
                  "decimal(5, 2) unsigned"));
    }
    return types;
  }

  @Test
  void noticesMorePreciseColumn() {
    refused("decimal places", stock().decrease("quantity", new BigDecimal("0.5")));
    changes(take(1), "quantity", "4");
    schema.execute(
        switch (database().name()) {
          case "PostgreSQL", "H2" ->
              "alter table stock alter column quantity set data type numeric(5, 1)";
          default -> "alter table stock modify quantity numeric(5, 1)";
        });
    changes(stock().decrease("quantity", new BigDecimal("0.5")), "quantity", "3.5");
  }

  @Test
  void asksForTheTypeOfAColumnOnce() throws SQLException {
    List<String> prepared = new ArrayList<>();
    try (Connection connection = schema.unpooled().getConnection()) {
      connection.setAutoCommit(false);
      Transaction tx =
          Transaction.of(
              JdbcProxy.of(
                  Connection.class,
                  (proxy, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")) {
                      prepared.add(String.valueOf(arguments[0]));
                    }
                    return JdbcProxy.pass(method, connection, arguments);
                  }));
      assertThat(take(1).apply(tx)).isEqualTo(new Applied());
      assertThat(prepared).hasSizeGreaterThan(1);
      prepared.clear();
      assertThat(take(1).apply(tx)).isEqualTo(new Applied());
      assertThat(take(2).apply(tx)).isEqualTo(new Applied());
      connection.rollback();
    }
    assertThat(prepared).hasSize(2).allMatch(sql -> sql.startsWith("UPDATE"));
  }

  private void refused(String because, ConditionalUpdate change) {
    assertThatThrownBy(() -> apply(change))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }
}
