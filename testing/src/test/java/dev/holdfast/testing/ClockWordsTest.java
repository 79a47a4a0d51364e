package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClockWordsTest {
  private static final Instant TIME = Instant.parse("2026-03-29T12:34:56.123456789Z");
  private static final String POSTGRESQL = "timestamptz '2026-03-29 12:34:56.123456+00'";
  private static final String UTC = "TIMESTAMP'2026-03-29 12:34:56.123456'";
  private static final String H2 = "TIMESTAMP WITH TIME ZONE '2026-03-29 12:34:56.123456+00:00'";

  private static String replaced(String family, String sql) {
    return ClockWords.of(family).replace(sql, TIME);
  }

  @Test
  void everyWordIsReplaced() {
    assertThat(
            replaced("postgresql", "select statement_timestamp(), (Statement_Timestamp ( ) + x)"))
        .isEqualTo("select " + POSTGRESQL + ", (" + POSTGRESQL + " + x)");
    assertThat(replaced("mysql", "SELECT UTC_TIMESTAMP(6),CURRENT_TIMESTAMP(6) + INTERVAL ?"))
        .isEqualTo(
            "SELECT "
                + UTC
                + ",CONVERT_TZ("
                + UTC
                + ", '+00:00', @@session.time_zone) + INTERVAL ?");
    assertThat(
            replaced("h2", "VALUES (CURRENT_TIMESTAMP, CURRENT_TIMESTAMP(6), current_timestamp)"))
        .isEqualTo("VALUES (" + H2 + ", " + H2 + ", " + H2 + ")");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 'statement_timestamp()'",
        "select 'it''s statement_timestamp()', E'\\' statement_timestamp()'",
        "select E'''\\' statement_timestamp()'",
        "select \"statement_timestamp()\" from t",
        "select 1 -- statement_timestamp()",
        "select 1 /* a /* nested */ statement_timestamp() */",
        "select $$ statement_timestamp() $$, $tag$ $$ statement_timestamp() $tag$",
        "select my.statement_timestamp(), my_statement_timestamp(), statement_timestamps()",
        "create table t (at timestamptz default statement_timestamp())",
        " ALTER table t alter at set default statement_timestamp()",
        "select now(), clock_timestamp(), current_timestamp"
      })
  void keepsQuotedAndOtherWords(String sql) {
    assertThat(replaced("postgresql", sql)).isSameAs(sql);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 'it\\'s UTC_TIMESTAMP(6)'",
        "select \"UTC_TIMESTAMP(6)\", `UTC_TIMESTAMP(6)`",
        "select 1 # UTC_TIMESTAMP(6)",
        "select 1 -- UTC_TIMESTAMP(6)",
        "select 1 /* UTC_TIMESTAMP(6) */",
        "select UTC_TIMESTAMP(), UTC_TIMESTAMP(3)"
      })
  void whatIsQuotedOrAnotherWordStaysOnMySql(String sql) {
    assertThat(replaced("mysql", sql)).isSameAs(sql);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select 'CURRENT_TIMESTAMP'",
        "select t.CURRENT_TIMESTAMP, CURRENT_TIMESTAMPS, CURRENT_TIMESTAMP(3)"
      })
  void whatIsQuotedOrAnotherWordStaysOnH2(String sql) {
    assertThat(replaced("h2", sql)).isSameAs(sql);
  }

  @Test
  void replacesAfterQuotesAndComments() {
    String before = "select 'a''b', E'c\\'', \"d\", $x$'$x$ /* ' /* */ */ -- '\n, ";
    assertThat(replaced("postgresql", before + "statement_timestamp()"))
        .isEqualTo(before + POSTGRESQL);
    String mysql = "select 'a\\'', \"'\", `'`, 1--1 /* ' /* */ # '\n, ";
    assertThat(replaced("mysql", mysql + "UTC_TIMESTAMP(6)")).isEqualTo(mysql + UTC);
  }

  @Test
  void timesThatNoDatabaseKeepsAreRefused() {
    assertThatThrownBy(() -> ClockWords.of("h2").replace("select current_timestamp", Instant.MAX))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("9999");
  }
}
