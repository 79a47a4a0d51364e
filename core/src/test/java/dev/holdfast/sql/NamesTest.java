package dev.holdfast.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.util.List;
import org.junit.jupiter.api.Test;

class NamesTest {
  private static String quote(String name, Names.Folding folding) {
    return new Names('"', folding, 63).quote(name);
  }

  @Test
  void aPlainNameMeansWhatItMeansInSql() {
    assertThat(quote("Accounts", Names.Folding.LOWER)).isEqualTo("\"accounts\"");
    assertThat(quote("Accounts", Names.Folding.UPPER)).isEqualTo("\"ACCOUNTS\"");
    assertThat(quote("Accounts", Names.Folding.NONE)).isEqualTo("\"Accounts\"");
  }

  @Test
  void aQuotedNameKeepsItsCase() {
    assertThat(quote("\"Order Lines\"", Names.Folding.LOWER)).isEqualTo("\"Order Lines\"");
    assertThat(quote("`Größe`", Names.Folding.UPPER)).isEqualTo("\"Größe\"");
  }

  @Test
  void dotsSeparateParts() {
    assertThat(quote("shop.\"Order\"", Names.Folding.LOWER)).isEqualTo("\"shop\".\"Order\"");
    assertThat(quote("a.b.c", Names.Folding.UPPER)).isEqualTo("\"A\".\"B\".\"C\"");
  }

  @Test
  void aNameIsAsLongAsTheDatabaseCounts() {
    String umlauts = "`" + "ö".repeat(32) + "`";
    Names inBytes = new Names('"', Names.Folding.LOWER, 63, true);

    assertThat(quote(umlauts, Names.Folding.LOWER)).hasSize(34);
    assertThat(inBytes.quote("a".repeat(63))).hasSize(65);
    assertThatThrownBy(() -> inBytes.quote(umlauts))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("at most 63 bytes here, had 64");
    assertThatThrownBy(() -> Dialects.postgreSql("PostgreSQL 18.6").quote(umlauts))
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
      assertThatThrownBy(() -> quote(name, Names.Folding.LOWER))
          .as(name)
          .isInstanceOf(InvalidArgumentException.class);
    }
  }
}
