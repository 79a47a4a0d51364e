package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class WebhookCallTest {
  private static final String URL = "https://x.test/";

  @ParameterizedTest
  @CsvSource({
    "https://Example.COM,                https://example.com,        443",
    "https://example.com.:444/a?b=c,     https://example.com:444,    444",
    "HTTP://example.com:80/,             http://example.com,          80",
    "http://a-b.c-d.example:/,           http://a-b.c-d.example,      80",
    "http://8.8.8.8:8080/,               http://8.8.8.8:8080,       8080",
    "'http://[2606:4700::1111]/',        'http://[2606:4700:0:0:0:0:0:1111]', 80",
    "'http://[::FFFF:8.8.8.8]:81/',      http://8.8.8.8:81,           81",
    "http://xn--bcher-kva.example/,      http://xn--bcher-kva.example, 80",
    "http://1.2.3.4.example/,            http://1.2.3.4.example,      80"
  })
  void hasOneTarget(String url, String target, int port) {
    assertThat(WebhookCall.to(url).target()).hasToString(target);
    assertThat(WebhookCall.to(url).target().port()).isEqualTo(port);
  }

  /** What other programs read as 127.0.0.1, 10.0.0.1, 169.254.169.254 or ::1. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://2130706433/",
        "http://017700000001/",
        "http://0x7f000001/",
        "http://0x7F.0x0.0x0.0x1/",
        "http://0177.0.0.1/",
        "http://0177.0000.0000.0001/",
        "http://127.1/",
        "http://127.0.1/",
        "http://10.1/",
        "http://127.0.0.1./x",
        "http://127.0.0.01/",
        "http://127.0.0.256/",
        "http://256.256.256.256/",
        "http://127.0.0.1.1/",
        "http://0/",
        "http://0x/",
        "http://1.2.3.0x4/",
        "http://a.b.0x7f/",
        "http://4294967297/",
        "http://169.16689662/",
        "http://0xa9fea9fe/",
        "http://025177524776/",
        "http://[::1%25lo]/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://[::1]]/",
        "http://[::127.1]/",
        "http://[0x7f::1]/",
        "http://[1:2:3]/",
        "http://[]/",
        "http://１２７.０.０.１/",
        "http://127。0。0。1/",
        "http://①②⑦.⓪.⓪.①/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1%00.example.com/",
        "http://127.0.0.1\\@example.com/",
        "http://example.com\\@127.0.0.1/",
        "http://localhost\t/",
        "http://loc\nalhost/"
      })
  void refusesHostsThatCanBeReadInTwoWays(String url) {
    assertThatThrownBy(() -> WebhookCall.to(url)).isInstanceOf(InvalidArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "/",
        "x",
        "//x.test/",
        "x.test/",
        "ftp://x.test/",
        "file:///etc/passwd",
        "gopher://x.test/",
        "jar:http://x.test!/",
        "data:,x",
        "mailto:a@b.test",
        "javascript:1",
        "http:",
        "http:/",
        "http://",
        "http:///a",
        "http:x.test",
        "http://:80/",
        "http://?a",
        "http://user@x.test/",
        "http://user:pass@x.test/",
        "http://@x.test/",
        "http://a@b@x.test/",
        "http://8.8.8.8@127.0.0.1/",
        "http://x.test:0/",
        "http://x.test:65536/",
        "http://x.test:-1/",
        "http://x.test:80:80/",
        "http://x.test:9999999999/",
        "http://x.test:8o/",
        "https://x.test/#a",
        "http://x.test/a b",
        "http://x.test/\r\nHost: y",
        "http://x.test/%zz",
        "http://x..test/",
        "http://-x.test/",
        "http://x.test-/",
        "http://.x.test/",
        "http://bücher.example/",
        "http://x.test/\u0000"
      })
  void refusesUrlsThatAreNone(String url) {
    assertThatThrownBy(() -> WebhookCall.to(url)).isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void refusesNamesThatAreTooLong() {
    assertThatThrownBy(() -> WebhookCall.to("http://" + "a".repeat(64) + ".test/"))
        .isInstanceOf(InvalidArgumentException.class);
    assertThatThrownBy(() -> WebhookCall.to("http://" + "a.".repeat(130) + "test/"))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void saysWhatIsWrongWithoutShowingAPassword() {
    assertThatThrownBy(() -> WebhookCall.to("http://joe:hunter2@x.test/"))
        .hasMessage("the URL must not contain a user or password; send them in a header");
    assertThatThrownBy(() -> WebhookCall.to("http://127.1/"))
        .hasMessageContaining("must have a host")
        .hasMessageEndingWith("had '127.1'");
    assertThatThrownBy(() -> WebhookCall.to("http://0177.0.0.1/"))
        .hasMessageContaining("four decimal numbers");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host",
        "host",
        "Content-Length",
        "Connection",
        "Keep-Alive",
        "Transfer-Encoding",
        "TE",
        "Trailer",
        "Upgrade",
        "Expect",
        "Proxy-Authorization",
        "Proxy-Connection",
        "webhook-id",
        "Webhook-Signature",
        "HOLDFAST-ATTEMPT",
        "Sec-Fetch-Mode",
        "HTTP2-Settings"
      })
  void refusesHeadersThatTheDeliverySets(String name) {
    assertThatThrownBy(() -> WebhookCall.to(URL).header(name, "x"))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageEndingWith("is set by the delivery and must not be given");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "a b", "a:", "a\r\nb", "ä", "a\u0000", "(a)", "\"a\""})
  void refusesNamesOfHeadersThatAreNone(String name) {
    assertThatThrownBy(() -> WebhookCall.to(URL).header(name, "x"))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\rb", "a\nb", "a\r\nHost: y", "a\u0000", "ä", "\u2028", "a\u007f"})
  void rejectsAndHidesUnsafeValues(String value) {
    assertThatThrownBy(() -> WebhookCall.to(URL).header("X-A", value))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessage("the header x-a must be of visible ASCII characters, spaces and tabs");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "post", "CONNECT", "TRACE", "OPTIONS", "GET /x HTTP/1.1\r\n"})
  void refusesOtherMethods(String method) {
    assertThatThrownBy(() -> WebhookCall.to(URL).method(method))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void cannotBeChangedFromOutside() {
    byte[] body = {1, 2, 3};
    WebhookCall call = WebhookCall.to(URL).body(body);
    body[0] = 9;
    call.bodyBytes()[1] = 9;
    assertThat(call.bodyBytes()).containsExactly(1, 2, 3);
  }

  @Test
  void showsNoSecrets() {
    WebhookCall call =
        WebhookCall.to("https://x.test/a?page=1&access_token=t0psecret&Version=2&t0psecret")
            .header("Authorization", "Bearer t0psecret")
            .header("X-Api-Key", "t0psecret")
            .header("Cookie", "a=t0psecret")
            .header("ACCEPT", "shown")
            .body(new byte[3]);
    assertThat(call)
        .hasToString(
            "WebhookCall[POST https://x.test/a?page=1&access_token=[redacted]&Version=2&[redacted],"
                + " headers [Authorization: [redacted], X-Api-Key: [redacted], Cookie: [redacted],"
                + " ACCEPT: shown], 3 bytes, timeout PT10S]");
  }

  @Test
  void isHeldToTheLimits() {
    WebhookLimits limits =
        WebhookLimits.ofDefaults()
            .maxBodyBytes(10)
            .maxHeaders(1, 20)
            .maxUrlLength(40)
            .ports("443,8000-8100");
    WebhookCall good = WebhookCall.to(URL).body(new byte[10]).header("X-A", "b".repeat(17));
    assertThatCode(() -> limits.check(good)).doesNotThrowAnyException();
    refused(limits, good.body(new byte[11]), "the body must have at most 10 bytes, had 11");
    refused(limits, good.header("X-B", ""), "the call must have at most 1 headers, had 2");
    refused(
        limits,
        WebhookCall.to(URL).header("X-A", "b".repeat(18)),
        "the headers together must have at most 20 characters, had 21");
    refused(
        limits,
        WebhookCall.to(URL + "a".repeat(30)),
        "the URL must have at most 40 characters, had 45");
    refused(
        limits,
        WebhookCall.to("https://x.test:22/"),
        "the port must be one of 443,8000-8100, was 22");
    refused(
        limits, WebhookCall.to("http://x.test/"), "the port must be one of 443,8000-8100, was 80");
    refused(
        limits,
        good.timeout(Duration.ofSeconds(61)),
        "the timeout must be at most PT1M, was PT1M1S");
    refused(
        WebhookLimits.ofDefaults().httpsOnly(true),
        WebhookCall.to("http://x.test/"),
        "the scheme must be https, was http");
    for (int port : new int[] {21, 22, 25, 53, 81, 1023}) {
      assertThatThrownBy(
              () -> WebhookLimits.ofDefaults().check(WebhookCall.to("http://x.test:" + port + "/")))
          .isInstanceOf(InvalidArgumentException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "0", "65536", "10-5", "1-", "80,,443", "80 443"})
  void refusesPortsThatAreNone(String ports) {
    assertThatThrownBy(() -> WebhookLimits.ofDefaults().ports(ports))
        .isInstanceOf(InvalidArgumentException.class);
  }

  @Test
  void refusesDeliveriesThatCouldNotBeSigned() {
    assertThatThrownBy(() -> new Delivery("a.b", 1, 1, null))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining("without a full stop");
    assertThatThrownBy(() -> new Delivery("a", 0, 1, null))
        .isInstanceOf(InvalidArgumentException.class);
  }

  private static void refused(WebhookLimits limits, WebhookCall call, String message) {
    assertThatThrownBy(() -> limits.check(call))
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessage(message);
  }
}
