package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ServerSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * No address behind the guard is reached, whatever names and notations say. 127.0.0.3 is inside.
 */
class GuardedSenderTest extends SenderTest {
  private static final Receiver.Script ANSWER =
      connection -> {
        while (true) {
          connection.read();
          connection.write(Receiver.OK);
        }
      };

  private static final String HOW_TO_ALLOW = "; to call it, put it on the allow-list (--allow)";

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.3", "[::ffff:127.0.0.3]", "[::ffff:7f00:3]"})
  void theGuardIsClosedByDefault(String host) throws IOException {
    sender(SenderOptions.ofDefaults());
    try (Receiver inside = Receiver.on("127.0.0.3", ANSWER)) {
      assertEnd(
          send("http://" + host + ":" + inside.port() + "/"),
          "rejected by the address guard: 127.0.0.3 is a loopback address" + HOW_TO_ALLOW);
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void theSystemsOwnNamesAreGuardedToo() throws IOException {
    sender(SenderOptions.ofDefaults());
    try (Receiver inside = Receiver.doing(ANSWER)) {
      Attempt attempt = send("http://localhost:" + inside.port() + "/");
      assertThat(attempt.error().orElseThrow())
          .startsWith("rejected by the address guard: localhost resolves to ")
          .endsWith(", a loopback address" + HOW_TO_ALLOW);
      assertThat(attempt.result()).isEqualTo(new Attempt.Result.Fail());
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void aNameThatResolvesInsideIsRefused() throws IOException {
    sender(settings().resolver(name -> Addresses.of("127.0.0.3", "10.0.0.1")));
    try (Receiver inside = Receiver.on("127.0.0.3", ANSWER)) {
      Attempt attempt = send("http://evil.test:" + inside.port() + "/");
      assertEnd(
          attempt,
          "rejected by the address guard: evil.test resolves to 127.0.0.3, a loopback address"
              + HOW_TO_ALLOW);
      assertThat(attempt.address()).isEmpty();
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void connectsToCheckedAddress() throws IOException {
    Answers answers = new Answers("127.0.0.1", "127.0.0.3");
    sender(settings().resolver(answers));
    try (Receiver outside = Receiver.doing(ANSWER);
        Receiver inside =
            Receiver.on("127.0.0.3", outside.port(), ServerSocketFactory.getDefault(), ANSWER)) {
      Attempt attempt = send("http://rebind.test:" + outside.port() + "/");
      assertThat(attempt.succeeded()).isTrue();
      assertThat(attempt.address()).hasValue("127.0.0.1");
      assertThat(answers.asked).hasValue(1);
      assertThat(outside.connections()).isEqualTo(1);
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void closesConnectionIfNameResolvesInside() throws IOException {
    sender(settings().resolver(new Answers("127.0.0.1", "127.0.0.3")));
    try (Receiver outside = Receiver.doing(ANSWER);
        Receiver inside =
            Receiver.on("127.0.0.3", outside.port(), ServerSocketFactory.getDefault(), ANSWER)) {
      String url = "http://rebind.test:" + outside.port() + "/";
      assertThat(send(url).succeeded()).isTrue();
      assertEnd(
          send(url),
          "rejected by the address guard: rebind.test resolves to 127.0.0.3, a loopback address"
              + HOW_TO_ALLOW);
      assertThat(outside.requests()).hasSize(1);
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void closesConnectionIfNameMoves() throws IOException {
    sender(
        settings()
            .guard(AddressGuard.ofDefaults().allow("127.0.0.0/8"))
            .resolver(new Answers("127.0.0.1", "127.0.0.3")));
    try (Receiver before = Receiver.doing(ANSWER);
        Receiver after =
            Receiver.on("127.0.0.3", before.port(), ServerSocketFactory.getDefault(), ANSWER)) {
      String url = "http://moved.test:" + before.port() + "/";
      assertThat(send(url).address()).hasValue("127.0.0.1");
      assertThat(send(url).address()).hasValue("127.0.0.3");
      assertThat(before.requests()).hasSize(1);
      assertThat(after.requests()).hasSize(1);
    }
  }

  @Test
  void triesAllowedAddressesOnly() throws IOException {
    sender(settings().resolver(name -> Addresses.of("127.0.0.3", "127.0.0.1", "10.0.0.1")));
    try (Receiver outside = Receiver.doing(ANSWER);
        Receiver inside =
            Receiver.on("127.0.0.3", outside.port(), ServerSocketFactory.getDefault(), ANSWER)) {
      assertThat(send("http://mixed.test:" + outside.port() + "/").succeeded()).isTrue();
      assertThat(outside.requests()).hasSize(1);
      assertThat(inside.connections()).isZero();
    }
  }

  @Test
  void triesNextAddressOnConnectFailure() throws IOException {
    sender(
        settings()
            .guard(AddressGuard.ofDefaults().allow("127.0.0.0/8"))
            .resolver(name -> Addresses.of("127.0.0.7", "127.0.0.1")));
    try (Receiver receiver = Receiver.doing(ANSWER)) {
      Attempt attempt = send("http://two.test:" + receiver.port() + "/");
      assertThat(attempt.succeeded()).isTrue();
      assertThat(attempt.address()).hasValue("127.0.0.1");
    }
  }

  @Test
  void doesNotRetryAfterCallWasSent() throws IOException {
    sender(
        settings()
            .guard(AddressGuard.ofDefaults().allow("127.0.0.0/8"))
            .resolver(name -> Addresses.of("127.0.0.1", "127.0.0.3")));
    Receiver.Script readAndClose =
        connection -> {
          connection.read();
          connection.socket.close();
        };
    try (Receiver first = Receiver.doing(readAndClose);
        Receiver second =
            Receiver.on("127.0.0.3", first.port(), ServerSocketFactory.getDefault(), ANSWER)) {
      assertThat(send("http://two.test:" + first.port() + "/").succeeded()).isFalse();
      assertThat(second.connections()).isZero();
    }
  }

  @Test
  void theAllowListOpensWhatItNames() throws IOException {
    try (Receiver inside = Receiver.on("127.0.0.3", ANSWER)) {
      String url = "http://hooks.internal:" + inside.port() + "/";
      sender(
          settings()
              .guard(AddressGuard.ofDefaults().allow("hooks.internal:" + inside.port()))
              .resolver(name -> Addresses.of("127.0.0.3")));
      assertThat(send(url).succeeded()).isTrue();
      assertThat(send(url.replace("hooks", "other")).result()).isEqualTo(new Attempt.Result.Fail());
    }
  }

  /** Answers one address after the other, the last again and again. */
  private static final class Answers implements NameResolver {
    final AtomicInteger asked = new AtomicInteger();
    private final List<String> answers;

    Answers(String... answers) {
      this.answers = Arrays.asList(answers);
    }

    @Override
    public List<InetAddress> resolve(String name) {
      return Addresses.of(answers.get(Math.min(asked.getAndIncrement(), answers.size() - 1)));
    }
  }
}
