package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyHeaderTest {
  @Test
  void quotedAndBareNameTheSameKey() {
    assertThat(KeyHeader.parse("\"8e03978e-40d5-43dd-bc93-6894a57f9324\""))
        .isEqualTo(KeyHeader.parse("8e03978e-40d5-43dd-bc93-6894a57f9324"))
        .isEqualTo("8e03978e-40d5-43dd-bc93-6894a57f9324");
  }

  @Test
  void quotesMayHoldBlanksAndWhatIsEscaped() {
    assertThat(KeyHeader.parse("\"a b, c;d \\\" \\\\\"")).isEqualTo("a b, c;d \" \\");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ";a=1",
        ";a",
        "; a=1;b=-2.125 ",
        ";a=\"x;y \\\" \\\\\"",
        ";*a_b-c.d=token/x:y",
        ";a=?0;b=?1",
        ";a=:aGVsbG8=:"
      })
  void parametersAreIgnored(String parameters) {
    assertThat(KeyHeader.parse("\"k 1\"" + parameters)).isEqualTo("k 1");
  }

  @Test
  void blanksAroundItDoNotCount() {
    assertThat(KeyHeader.parse(" \t order:42/+= ")).isEqualTo("order:42/+=");
  }

  @Test
  void acceptsMaxLengthOf255() {
    assertThat(KeyHeader.parse("k".repeat(255))).hasSize(255);
    assertThat(KeyHeader.parse('"' + "\\\"".repeat(255) + '"')).hasSize(255);
    refused("k".repeat(256));
    refused('"' + "k".repeat(256) + '"');
    refused("k".repeat(10 * 1024));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  ",
        "\"\"",
        "\"",
        "\"a",
        "a\"",
        "\"a\"b",
        "\"a\" \"b\"",
        "\"a\";",
        "\"a\";X=1",
        "\"a\";x=",
        "\"a\" ;x=1",
        "\"a\";x=1,",
        "\"a\";x=\"b",
        "\"a\";x=?2",
        "\"a\";x=:a",
        "\"a\";x=1.",
        "\"a\";x=1234567890123456",
        "\"a\";x=ž",
        "a b",
        "a,b",
        "a;b",
        "a\\b",
        "\"a\\b\"",
        "\"a\\\"",
        "a\tb",
        "\"a\tb\"",
        "a\u0000",
        "\"\u0007\"",
        "a\u007f",
        "\"\u007f\"",
        "ключ",
        "\"ключ\"",
        "a\r\nb"
      })
  void whatIsMalformedIsRefused(String header) {
    refused(header);
  }

  private static void refused(String header) {
    assertThatThrownBy(() -> KeyHeader.parse(header))
        .isInstanceOfSatisfying(
            ProblemException.class,
            e -> {
              assertThat(e.problem().status()).isEqualTo(400);
              assertThat(e.code()).isEqualTo("idempotency-key-invalid");
            });
  }
}
