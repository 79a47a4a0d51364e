package dev.holdfast.race.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.math.BigDecimal;
import java.sql.Timestamp;
import java.time.LocalDate;
import org.junit.jupiter.api.Test;

class LiteralsTest {

  @Test
  void valuesAreWrittenAsInSql() {
    assertThat(Literals.of(null)).isEqualTo("NULL");
    assertThat(Literals.of(5)).isEqualTo("5");
    assertThat(Literals.of(new BigDecimal("1E+3"))).isEqualTo("1000");
    assertThat(Literals.of(true)).isEqualTo("TRUE");
    assertThat(Literals.of("O'Hara")).isEqualTo("'O''Hara'");
    assertThat(Literals.of(new byte[] {1, -1})).isEqualTo("x'01ff'");
    assertThat(Literals.of(LocalDate.of(2026, 1, 2))).isEqualTo("'2026-01-02'");
    assertThat(Literals.of(Timestamp.valueOf("2026-01-02 03:04:05.5")))
        .isEqualTo("'2026-01-02T03:04:05.500'");
    assertThat(Literals.of(new Object[] {1, null, "a"})).isEqualTo("'{1,null,a}'");
  }

  @Test
  void namesValuesWithoutText() {
    assertThat(Literals.of(new ByteArrayInputStream(new byte[1]))).isEqualTo("'<stream>'");
    assertThat(Literals.of(new Object())).isEqualTo("'<Object>'");
  }

  @Test
  void longTextsAreShortenedAndStillDiffer() {
    String one = Literals.of("a".repeat(300) + "1");
    String two = Literals.of("a".repeat(300) + "2");
    assertThat(one).hasSizeLessThan(220).contains("a…").isNotEqualTo(two);
  }
}
