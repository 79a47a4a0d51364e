package dev.holdfast.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Targets that nothing can be sent to. */
class UnreachableTargetTest extends SenderTest {
  @Test
  void aClosedPortIsSaidToRefuse() throws IOException {
    int port;
    try (ServerSocket closed = new ServerSocket(0)) {
      port = closed.getLocalPort();
    }
    Attempt attempt = send("http://127.0.0.1:" + port + "/");
    assertRetry(attempt, "connection refused");
    assertThat(attempt.address()).hasValue("127.0.0.1");
  }

  @Test
  void aNameThatDoesNotResolveIsTriedAgain() {
    sender(
        settings()
            .resolver(
                name -> {
                  throw new UnknownHostException(name);
                }));
    assertRetry(send("http://nowhere.test/"), "the name nowhere.test does not resolve");
  }

  @Test
  void aResolverThatBreaksIsTriedAgain() {
    sender(
        settings()
            .resolver(
                name -> {
                  throw new IllegalStateException("no servers");
                }));
    assertRetry(
        send("http://nowhere.test/"), "the name nowhere.test could not be resolved: no servers");
  }
}
