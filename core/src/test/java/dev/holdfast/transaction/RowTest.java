package dev.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowTest {
  private static Row row(String columns) {
    try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
        Statement statement = connection.createStatement();
        ResultSet results = statement.executeQuery("select " + columns)) {
      results.next();
      return Row.of(results);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void columnsAreFoundInAnyCase() {
    Row row = row("1 as \"Quantity\", 'x' as note");

    assertThat(row.get("quantity")).isEqualTo(1);
    assertThat(row.get("QUANTITY")).isEqualTo(1);
    assertThat(row.text("Note")).isEqualTo("x");
    assertThat(row.values()).containsOnlyKeys("NOTE", "Quantity");
    assertThatThrownBy(() -> row.get("no_such_column"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContainingAll("no_such_column", "Quantity", "NOTE");
  }

  @Test
  void distinguishesColumnsByCase() {
    Row row = row("1 as \"id\", 2 as \"ID\", 3 as \"x\", 4 as \"x\"");

    assertThat(row.get("id")).isEqualTo(1);
    assertThat(row.get("ID")).isEqualTo(2);
    assertThat(row.values()).containsEntry("id", 1).containsEntry("ID", 2);
    assertThatThrownBy(() -> row.get("Id"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContainingAll("several columns 'Id'", "id, ID");
    assertThatThrownBy(() -> row.get("x"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("several columns 'x'");
  }

  @Test
  void nullIsNullAndNotMissing() {
    Row row = row("cast(null as integer) as n");

    assertThat(row.get("n")).isNull();
    assertThat(row.text("n")).isNull();
  }

  @Test
  void wholeNumbersOfAnyTypeAreNumbers() {
    for (String number :
        new String[] {
          "cast(7 as tinyint)",
          "cast(7 as smallint)",
          "cast(7 as integer)",
          "cast(7 as bigint)",
          "cast(7 as decimal(10, 2))",
          "cast(7 as numeric(30))",
          "cast(7 as double precision)",
          "cast(7 as real)",
          "'7'"
        }) {
      assertThat(row(number + " as n").number("n")).as(number).isEqualTo(7);
    }
    assertThat(row("9223372036854775807 as n").number("n")).isEqualTo(Long.MAX_VALUE);
    assertThat(row("cast(-9223372036854775808 as numeric(20)) as n").number("n"))
        .isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void anythingElseIsNoNumber() {
    for (String value :
        new String[] {
          "cast(null as bigint)",
          "7.5",
          "9223372036854775808",
          "cast('1e400' as decfloat)",
          "'seven'",
          "''",
          "true",
          "current_timestamp"
        }) {
      Row row = row(value + " as n");
      assertThatThrownBy(() -> row.number("n"))
          .as(value)
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("column 'n' must hold a whole number, was");
    }
  }

  @Test
  void pointsInTimeAreInstants() {
    Row row =
        row(
            "timestamp with time zone '2026-11-15 12:00:00+02:00' as a, timestamp '2026-11-15"
                + " 12:00:00' as b, cast(null as timestamp) as c, date '2026-11-15' as d");

    assertThat(row.instant("a")).isEqualTo(Instant.parse("2026-11-15T10:00:00Z"));
    assertThat(row.instant("b"))
        .isEqualTo(
            LocalDateTime.of(2026, 11, 15, 12, 0).atZone(ZoneId.systemDefault()).toInstant());
    assertThat(row.instant("c")).isNull();
    assertThatThrownBy(() -> row.instant("d"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContainingAll("column 'd'", "a point in time", "2026-11-15");
  }

  @Test
  void trueAndFalseMayBeNumbers() {
    Row row = row("true as a, false as b, 1 as c, cast(0 as tinyint) as d, 2 as e, null as f");

    assertThat(row.bool("a")).isTrue();
    assertThat(row.bool("b")).isFalse();
    assertThat(row.bool("c")).isTrue();
    assertThat(row.bool("d")).isFalse();
    for (String neither : new String[] {"e", "f"}) {
      assertThatThrownBy(() -> row.bool(neither))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("column '" + neither + "' must hold true or false, was");
    }
  }

  @Test
  void largeObjectsAreReadWhole() {
    Row row = row("cast('a long text' as clob) as c, cast(X'0102' as blob) as b");

    assertThat(row.text("c")).isEqualTo("a long text");
    assertThat(row.get("b")).isEqualTo(new byte[] {1, 2});
  }

  @Test
  void arraysAreReadWhole() {
    Row row = row("array[1, 2] as a");

    assertThat(row.get("a")).isEqualTo(new Object[] {1, 2});
    assertThat(row.text("a")).isEqualTo("[1, 2]");
    assertThat(row).isEqualTo(row("array[1, 2] as a")).isNotEqualTo(row("array[1, 3] as a"));
  }

  @Test
  void rowsAreEqualByTheirValues() {
    Row row = row("1 as a, X'0102' as b");

    assertThat(row).isEqualTo(row("1 as \"a\", X'0102' as b"));
    assertThat(row).hasSameHashCodeAs(row("1 as \"a\", X'0102' as b"));
    assertThat(row)
        .isNotEqualTo(row("2 as a, X'0102' as b"))
        .isNotEqualTo(row("1 as a, X'0103' as b"))
        .isNotEqualTo(row("1 as a, X'0102' as c"))
        .isNotEqualTo(row("1 as a"))
        .isNotEqualTo(row.values());
    assertThat(Set.of(row)).contains(row("1 as A, X'0102' as B"));
  }

  @Test
  void isImmutable() {
    Row row = row("1 as a");

    assertThatThrownBy(() -> row.values().put("a", 2))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> row.values().remove("a"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThat(row).hasToString("{A=1}");
  }
}
