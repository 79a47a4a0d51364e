package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Targets that hang, trickle, break off, flood and lie. */
class HostileTargetTest extends SenderTest {
  private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  private static final String ENDLESS_NO_ANSWER = "no response within 2 s";
  private static final String ENDLESS_ANSWER = "the response was not complete within 2 s";

  @Test
  void disconnectsSilentTarget() throws IOException {
    Attempt attempt = against(Receiver.Connection::read);
    assertRetry(attempt, ENDLESS_NO_ANSWER);
    assertThat(attempt.status()).isEmpty();
  }

  @Test
  void disconnectsTargetThatDoesNotRead() throws IOException {
    try (Receiver receiver = Receiver.doing(connection -> {})) {
      sender(settings().limits(WebhookLimits.ofDefaults().maxBodyBytes(64 << 20)));
      assertRetry(
          send(WebhookCall.to(receiver.url()).body(new byte[32 << 20]).timeout(SHORT)),
          ENDLESS_NO_ANSWER);
    }
  }

  @Test
  void disconnectsHangingHeaders() throws IOException {
    assertRetry(
        against(
            connection -> {
              connection.read();
              connection.write("HTTP/1.1 200 OK\r\nContent-Le");
            }),
        ENDLESS_NO_ANSWER);
  }

  @Test
  void hangingBodyIsNoSuccess() throws IOException {
    Attempt attempt =
        against(
            connection -> {
              connection.read();
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
            });
    assertRetry(attempt, ENDLESS_ANSWER);
    assertThat(attempt.status()).isEqualTo(OptionalInt.of(200));
    assertThat(attempt.excerpt()).isEqualTo("half");
  }

  @Test
  void disconnectsTricklingBody() throws IOException {
    assertRetry(
        against(
            connection -> {
              connection.read();
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
              trickle(connection, "x");
            }),
        ENDLESS_ANSWER);
  }

  @Test
  void disconnectsTricklingChunks() throws IOException {
    assertRetry(
        against(
            connection -> {
              connection.read();
              connection.write(CHUNKED);
              trickle(connection, "1\r\nx\r\n");
            }),
        ENDLESS_ANSWER);
  }

  @Test
  void disconnectsTricklingHeaders() throws IOException {
    assertRetry(
        against(
            connection -> {
              connection.read();
              connection.write("HTTP/1.1 200 OK\r\nX: ");
              trickle(connection, "x");
            }),
        ENDLESS_NO_ANSWER);
  }

  @Test
  void disconnectsEndlessInterimResponses() throws IOException {
    assertRetry(
        against(
            connection -> {
              connection.read();
              trickle(connection, "HTTP/1.1 102 Processing\r\n\r\n");
            }),
        ENDLESS_NO_ANSWER);
  }

  @Test
  void resetIsFailure() throws IOException {
    assertRetry(
        patiently(
            connection -> {
              connection.read();
              connection.socket.setSoLinger(true, 0);
              connection.socket.close();
            }),
        "the connection was reset before a response arrived");
  }

  @Test
  void silentCloseIsFailure() throws IOException {
    assertRetry(
        patiently(
            connection -> {
              connection.read();
              connection.socket.close();
            }),
        "the connection was closed before a response arrived");
  }

  @Test
  void closeInHeadersIsFailure() throws IOException {
    assertThat(
            patiently(
                    connection -> {
                      connection.read();
                      connection.write("HTTP/1.1 200 OK\r\nContent-");
                      connection.socket.close();
                    })
                .succeeded())
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
      })
  void closeInBodyIsFailure(String answer) throws IOException {
    Attempt attempt =
        patiently(
            connection -> {
              connection.read();
              connection.write(answer);
              connection.socket.close();
            });
    assertThat(attempt.error().orElseThrow())
        .startsWith("the connection was closed before the response was complete");
    assertThat(attempt.result()).isInstanceOf(Attempt.Result.Retry.class);
    assertThat(attempt.status()).isEqualTo(OptionalInt.of(200));
  }

  @Test
  void acceptsResponseEndedByClose() throws IOException {
    Attempt attempt =
        patiently(
            connection -> {
              connection.read();
              connection.write("HTTP/1.0 200 OK\r\n\r\nall");
              connection.socket.close();
            });
    assertThat(attempt.succeeded()).isTrue();
    assertThat(attempt.excerpt()).isEqualTo("all");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9.2\r\n",
        "220 mail ESMTP\r\n",
        "\0\1\2\3\4\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n"
      })
  void nonHttpResponseIsFailure(String garbage) throws IOException {
    Attempt attempt =
        patiently(
            connection -> {
              connection.read();
              connection.write(garbage);
            });
    assertRetry(attempt, "the response is not HTTP");
  }

  @Test
  void aFloodOfHeadersIsNotKept() throws IOException {
    assertRetry(
        patiently(
            connection -> {
              connection.read();
              connection.write("HTTP/1.1 200 OK\r\nX: ");
              flood(connection, "x".repeat(1000), new AtomicLong());
            }),
        "the response headers are too large");
    assertRetry(
        patiently(
            connection -> {
              connection.read();
              connection.write("HTTP/1.1 200 OK\r\n");
              flood(connection, "X: y\r\n", new AtomicLong());
            }),
        "the response headers are too large");
  }

  @Test
  void ofTenMegabytesOnlyTheBeginningIsRead() throws IOException {
    AtomicLong written = new AtomicLong();
    Attempt attempt =
        patiently(
            connection -> {
              connection.read();
              connection.socket.setSendBufferSize(16 * 1024);
              connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10485760\r\n\r\n");
              for (int i = 0; i < 10240; i++) {
                connection.write("y".repeat(1024));
                written.addAndGet(1024);
              }
            });
    assertThat(attempt.succeeded()).isTrue();
    assertThat(attempt.excerpt()).isEqualTo("y".repeat(2048));
    assertThat(written.get()).isLessThan(10 << 20);
    assertThat(sender().connectionCount()).isZero();
  }

  @Test
  void chunksWithoutEndAreCutOffAtTheLimit() throws IOException {
    Attempt attempt =
        patiently(
            connection -> {
              connection.read();
              connection.write(CHUNKED);
              flood(connection, "a\r\n0123456789\r\n", new AtomicLong());
            });
    assertThat(attempt.succeeded()).isTrue();
    assertThat(attempt.excerpt()).hasSize(2048).startsWith("01234567890123");
    assertThat(sender().connectionCount()).isZero();
  }

  @Test
  void encodedContentIsNotDecoded() throws IOException {
    String bomb = "\u001f\u008b\b" + "z".repeat(100);
    Attempt attempt =
        patiently(
            connection -> {
              connection.read();
              connection.write(
                  "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: "
                      + bomb.length()
                      + "\r\n\r\n"
                      + bomb);
            });
    assertThat(attempt.succeeded()).isTrue();
    assertThat(attempt.excerpt()).isEqualTo("[gzip, not decoded, 103 bytes]");
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 301, 302, 303, 304, 307, 308})
  void redirectsAreNotFollowed(int status) throws IOException {
    try (Receiver inside = Receiver.on("127.0.0.3", Receiver.Connection::read)) {
      Attempt attempt =
          patiently(
              connection -> {
                while (true) {
                  connection.read();
                  connection.write(
                      "HTTP/1.1 %d Go\r\nLocation: http://127.0.0.3:%d/\r\nContent-Length: 0\r\n\r\n"
                          .formatted(status, inside.port()));
                }
              });
      assertRetry(attempt, "the target responded with " + status + ": redirects are not followed");
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void aRedirectToItselfIsNotFollowedEither() throws IOException {
    try (Receiver receiver =
        Receiver.answering("HTTP/1.1 307 Go\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")) {
      assertThat(send(receiver.url()).succeeded()).isFalse();
      assertThat(receiver.requests()).hasSize(1);
    }
  }

  @Test
  void brokenConnectionSendsNothingTwice() throws IOException {
    Receiver.Script oneAnswerThenSilence =
        connection -> {
          connection.read();
          connection.write(Receiver.OK);
          connection.read();
          connection.socket.close();
        };
    try (Receiver receiver = Receiver.doing(oneAnswerThenSilence)) {
      assertThat(send(receiver.url()).succeeded()).isTrue();
      assertRetry(send(receiver.url()), "the connection was closed before a response arrived");
      assertThat(receiver.requests()).hasSize(2);
    }
  }

  @Test
  void earlyResponseKeepsConnectionUsable() throws IOException {
    // it answers at once, keeps the connection, and never reads the rest of the body
    Receiver.Script hasty =
        connection -> {
          if (connection.number == 1) {
            connection.in.read();
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
          } else {
            connection.read();
            connection.write(Receiver.OK);
          }
        };
    sender(settings().limits(WebhookLimits.ofDefaults().maxBodyBytes(64 << 20)));
    try (Receiver receiver = Receiver.doing(hasty)) {
      Attempt early = send(WebhookCall.to(receiver.url()).body(new byte[32 << 20]));
      assertThat(early.succeeded()).isTrue();
      assertThat(send(call(receiver.url()).timeout(SHORT.multipliedBy(5))).error()).isEmpty();
      assertThat(receiver.connections()).isEqualTo(2);
    }
  }

  /** With a timeout that it will run into. */
  private Attempt against(Receiver.Script script) throws IOException {
    try (Receiver receiver = Receiver.doing(script)) {
      return send(call(receiver.url()).timeout(SHORT));
    }
  }

  /** With a timeout that it will not run into. */
  private Attempt patiently(Receiver.Script script) throws IOException {
    try (Receiver receiver = Receiver.doing(script)) {
      return send(receiver.url());
    }
  }

  /** Byte by byte, each long before any timeout of a single read; ends when the sender is gone. */
  private static void trickle(Receiver.Connection connection, String text)
      throws IOException, InterruptedException {
    while (true) {
      connection.write(text);
      // a slow target is slow by the clock, there is no event to wait for
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static void flood(Receiver.Connection connection, String text, AtomicLong written)
      throws IOException {
    byte[] bytes = text.repeat(100).getBytes(StandardCharsets.ISO_8859_1);
    while (true) {
      connection.out.write(bytes);
      written.addAndGet(bytes.length);
    }
  }
}
