package dev.holdfast.race.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceLinesTest {

  @Test
  void theLineThatCalls() {
    assertThat(SourceLines.caller()).matches("SourceLinesTest\\.java:\\d+( < .*)?");
  }

  @Test
  void showsLambdaAndItsCaller() {
    Supplier<@Nullable String> lambda = () -> SourceLines.caller();
    assertThat(lambda.get())
        .matches("SourceLinesTest\\.java:\\d+ < SourceLinesTest\\.java:\\d+( < .*)?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "shop.Coupons",
        "shop.Coupons$Rules",
        "dev.holdfast.race.RaceTest",
        "shop.ShopIT$1"
      })
  void codeUnderTest(String className) {
    assertThat(SourceLines.isOfCode(className)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "dev.holdfast.race.Race",
        "dev.holdfast.race.Race$Actor",
        "dev.holdfast.race.internal.run.Actor",
        "dev.holdfast.transaction.Transactions",
        "org.springframework.jdbc.core.JdbcTemplate",
        "java.util.ArrayList",
        "jdk.proxy2.$Proxy14",
        "shop.Coupons$$SpringCGLIB$$0",
      })
  void whatIsBetween(String className) {
    assertThat(SourceLines.isOfCode(className)).isFalse();
  }
}
