package dev.holdfast.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TcpProxyTest {
  private static final int END = -1;

  private final BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
  private @Nullable ServerSocket server;
  private @Nullable Thread acceptor;
  private @Nullable TcpProxy proxy;

  @BeforeEach
  void startServerThatAnswersEveryByteWithItsDouble() throws IOException {
    ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    acceptor = start(() -> serve(listener));
    server = listener;
    proxy = TcpProxy.before("jdbc:test://127.0.0.1:" + listener.getLocalPort() + "/name?a=b");
  }

  @AfterEach
  void stop() throws IOException {
    proxy().close();
    if (server != null) {
      server.close();
    }
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "doubling-server");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void serve(ServerSocket listener) {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        start(() -> answer(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void answer(Socket client) {
    try (client) {
      for (int read = client.getInputStream().read();
          read != END;
          read = client.getInputStream().read()) {
        received.add(read);
        client.getOutputStream().write(2 * read);
      }
    } catch (IOException e) {
      // it has gone
    }
  }

  private TcpProxy proxy() {
    if (proxy == null) {
      throw new AssertionError("not started");
    }
    return proxy;
  }

  private Socket connect() throws IOException {
    String url = proxy().url();
    assertThat(url).startsWith("jdbc:test://127.0.0.1:").endsWith("/name?a=b");
    String port = url.replaceAll("\\D*127\\.0\\.0\\.1:(\\d+)/.*", "$1");
    return new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  private static int ask(Socket client, int number) {
    try {
      client.getOutputStream().write(number);
      return client.getInputStream().read();
    } catch (IOException e) {
      return END;
    }
  }

  @Test
  void passesWhatIsSentBothWays() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(2);
      assertThat(ask(client, 4)).isEqualTo(8);
    }
  }

  @Test
  void losesAMessageBeforeTheServerHasIt() throws Exception {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(2);
      proxy().loseNextMessage();
      assertThat(ask(client, 2)).isEqualTo(END);
    }
    try (Socket next = connect()) {
      assertThat(ask(next, 3)).as("only one is hit").isEqualTo(6);
    }
    assertThat(received).containsExactly(1, 3);
  }

  @Test
  void dropsResponseAfterMessageArrived() throws Exception {
    try (Socket client = connect()) {
      proxy().loseNextAnswer();
      assertThat(ask(client, 2)).isEqualTo(END);
    }
    assertThat(received.poll(10, TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void holdsOpenConnectionsUntilRelease() throws IOException {
    try (Socket held = connect()) {
      assertThat(ask(held, 1)).isEqualTo(2);
      proxy().hold();
      held.getOutputStream().write(2);
      try (Socket later = connect()) {
        assertThat(ask(later, 3)).as("opened afterwards").isEqualTo(6);
      }
      assertThat(received).containsExactly(1, 3);
      proxy().letGo();
      assertThat(held.getInputStream().read()).isEqualTo(4);
      assertThat(ask(held, 5)).isEqualTo(10);
    }
    assertThat(received).containsExactly(1, 3, 2, 5);
  }

  @Test
  void holdsResponseToMatchingMessage() throws Exception {
    try (Socket cut = connect();
        Socket other = connect()) {
      assertThat(ask(cut, 1)).isEqualTo(2);
      proxy().holdAfter("A");
      assertThat(ask(other, 3)).as("without the text").isEqualTo(6);
      assertThat(proxy().isHolding()).isFalse();
      cut.getOutputStream().write('A');
      Awaitility.await().until(() -> received.contains((int) 'A'));
      assertThat(proxy().isHolding()).isTrue();
      cut.getOutputStream().write(5);
      assertThat(ask(other, 'A')).as("only one is held").isEqualTo(2 * 'A');
      assertThat(received).containsExactly(1, 3, (int) 'A', (int) 'A');
      assertThat(cut.getInputStream().available()).isZero();

      proxy().letGo();
      assertThat(cut.getInputStream().read()).isEqualTo(2 * 'A');
      assertThat(cut.getInputStream().read()).isEqualTo(10);
    }
  }

  @Test
  void cutsWhatIsOpenAndRefusesOnceItIsClosed() throws IOException {
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(2);
      proxy().cut();
      assertThat(ask(client, 1)).isEqualTo(END);
    }
    proxy().close();
    assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
  }

  @Test
  void goesOnWhenTheServerWasAwayForAWhile() throws Exception {
    ServerSocket before = Objects.requireNonNull(server);
    before.close();
    // the port accepts connections until the thread in accept() has noticed that it is closed
    Objects.requireNonNull(acceptor).join();
    try (Socket client = connect()) {
      assertThat(ask(client, 1)).isEqualTo(END);
    }
    ServerSocket again =
        new ServerSocket(before.getLocalPort(), 50, InetAddress.getLoopbackAddress());
    server = again;
    acceptor = start(() -> serve(again));
    try (Socket client = connect()) {
      client.setSoTimeout(30_000);
      assertThat(ask(client, 1)).isEqualTo(2);
    }
  }

  @Test
  void refusesAUrlWithoutAServer() {
    assertThatThrownBy(() -> TcpProxy.before("jdbc:h2:mem:"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:h2:mem:");
  }
}
