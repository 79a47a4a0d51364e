package dev.holdfast.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlIdentifiersTest {
  private static String quote(String name, SqlIdentifiers.Folding folding) {
    return new SqlIdentifiers('"', folding, 63).quote(name);
  }

  @Test
  void aPlainNameMeansWhatItMeansInSql() {
    assertThat(quote("Accounts", SqlIdentifiers.Folding.LOWER)).isEqualTo("\"accounts\"");
    assertThat(quote("Accounts", SqlIdentifiers.Folding.UPPER)).isEqualTo("\"ACCOUNTS\"");
    assertThat(quote("Accounts", SqlIdentifiers.Folding.NONE)).isEqualTo("\"Accounts\"");
  }

  @Test
  void aQuotedNameKeepsItsCase() {
    assertThat(quote("\"Order Lines\"", SqlIdentifiers.Folding.LOWER)).isEqualTo("\"Order Lines\"");
    assertThat(quote("`Größe`", SqlIdentifiers.Folding.UPPER)).isEqualTo("\"Größe\"");
  }

  @Test
  void dotsSeparateParts() {
    assertThat(quote("shop.\"Order\"", SqlIdentifiers.Folding.LOWER))
        .isEqualTo("\"shop\".\"Order\"");
    assertThat(quote("a.b.c", SqlIdentifiers.Folding.UPPER)).isEqualTo("\"A\".\"B\".\"C\"");
  }

  @Test
  void aNameIsAsLongAsTheDatabaseCounts() {
    String umlauts = "`" + "ö".repeat(32) + "`";
    SqlIdentifiers inBytes = new SqlIdentifiers('"', SqlIdentifiers.Folding.LOWER, 63, true);

    assertThat(quote(umlauts, SqlIdentifiers.Folding.LOWER)).hasSize(34);
    assertThat(inBytes.quote("a".repeat(63))).hasSize(65);
    assertThatThrownBy(() -> inBytes.quote(umlauts))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("at most 63 bytes here, had 64");
    assertThatThrownBy(() -> DialectDetector.postgreSql("PostgreSQL 18.6").quote(umlauts))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void anythingElseIsRefused() {
    List<String> hostile =
        List.of(
            "",
            " ",
            "\"; drop table",
            "a; drop table b",
            "a b",
            "1a",
            "a.",
            ".a",
            "a..b",
            "a.b.c.d",
            "\"\"",
            "\"a",
            "a\"",
            "\"a\"b",
            "a--",
            "a/*",
            "\"a\\\"",
            "a\u0000",
            "\"a\u0000\"",
            "\"a\nb\"",
            "\"a`b\"",
            "`a\"b`",
            "a'b",
            "ä",
            "a".repeat(64));
    for (String name : hostile) {
      assertThatThrownBy(() -> quote(name, SqlIdentifiers.Folding.LOWER))
          .as(name)
          .isInstanceOf(InvalidArgumentException.class);
    }
  }
}
