package dev.holdfast.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A forwarder between a client and a database server that can be told to break a connection at a
 * chosen message, or to hold one back, so that a test can lose a request or an answer, or have it
 * come late, for certain.
 *
 * <p>A fault hits one connection, the next one to send something, and is then used up. The client
 * must be the only one that is active when a fault is asked for. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
  private static final Pattern HOST_AND_PORT = Pattern.compile("//([^:/?]+):(\\d+)");

  private enum Fault {
    NONE,
    LOSE_MESSAGE,
    LOSE_ANSWER
  }

  private final String serverUrl;
  private final InetSocketAddress server;
  private final ServerSocket listener;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final AtomicReference<Fault> next = new AtomicReference<>(Fault.NONE);
  private final AtomicReference<byte @Nullable []> holdAfter = new AtomicReference<>();

  private volatile boolean frozen;
  private final CountDownLatch deaf = new CountDownLatch(1);

  private TcpProxy(String serverUrl, InetSocketAddress server, ServerSocket listener) {
    this.serverUrl = serverUrl;
    this.server = server;
    this.listener = listener;
  }

  /**
   * Starts a proxy on a free port of 127.0.0.1, before the server of a JDBC URL.
   *
   * @throws IllegalArgumentException if the URL has no host and port
   */
  public static TcpProxy before(String jdbcUrl) {
    Matcher address = HOST_AND_PORT.matcher(jdbcUrl);
    if (!address.find()) {
      throw new IllegalArgumentException("must have a host and a port: " + jdbcUrl);
    }
    try {
      TcpProxy proxy =
          new TcpProxy(
              jdbcUrl,
              new InetSocketAddress(address.group(1), Integer.parseInt(address.group(2))),
              new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
      start("accept", proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The JDBC URL that leads through this proxy. On PostgreSQL it limits the handshake of a new
   * connection: a pool that is held back in the middle of one would wait for it without a limit.
   */
  public String url() {
    String url =
        HOST_AND_PORT.matcher(serverUrl).replaceFirst("//127.0.0.1:" + listener.getLocalPort());
    return url.startsWith("jdbc:postgresql:")
        ? url + (url.contains("?") ? "&" : "?") + "loginTimeout=10"
        : url;
  }

  /** Cuts the connection instead of forwarding the next message of a client. */
  public void loseNextMessage() {
    next.set(Fault.LOSE_MESSAGE);
  }

  /**
   * Forwards the next message of a client, waits for its answer, and cuts instead of passing it.
   */
  public void loseNextAnswer() {
    next.set(Fault.LOSE_ANSWER);
  }

  /**
   * Holds back, from now on, whatever is sent either way over the connections that are open now,
   * until {@link #letGo}. Those that are opened afterwards are not held.
   */
  public void hold() {
    links.forEach(link -> link.held = new CountDownLatch(1));
  }

  /**
   * As {@link #hold}, also of the connections that are opened from now on: as with a server that is
   * suspended, they are accepted, and nothing is ever answered. {@link #letGo} ends it.
   */
  public void freeze() {
    frozen = true;
    hold();
  }

  /**
   * Cuts a connection silently: the next message of a client that contains {@code text}, such as a
   * part of a statement, is forwarded, and everything that is sent after it over the same
   * connection, either way, is held back until {@link #letGo}; neither side notices. Other
   * connections are not held. A statement that the driver has prepared on the server is sent
   * without its text.
   */
  public void holdAfter(String text) {
    holdAfter.set(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Whether a connection is held back now. */
  public boolean isHolding() {
    return links.stream().anyMatch(link -> link.held.getCount() > 0);
  }

  /** Forwards what was held back, in its order, and all that comes after it. */
  public void letGo() {
    frozen = false;
    links.forEach(Link::letGo);
  }

  /** Cuts every connection that is open now. */
  public void cut() {
    open.forEach(TcpProxy::closeQuietly);
  }

  /** Cuts every connection and refuses new ones. */
  @Override
  public void close() {
    try {
      listener.close();
      // the port is open until the thread that accepts has noticed
      deaf.await();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    cut();
    letGo();
  }

  private void accept() {
    try {
      while (true) {
        link(remember(listener.accept()), remember(new Socket()));
      }
    } catch (IOException e) {
      cut();
    } finally {
      deaf.countDown();
    }
  }

  private void link(Socket client, Socket to) {
    Link link = new Link(client, to);
    try {
      to.connect(server);
      client.setTcpNoDelay(true);
      to.setTcpNoDelay(true);
    } catch (IOException e) {
      // it was cut before it was there, or the server is gone; the next one may come through
      link.close();
      return;
    }
    links.add(link);
    if (frozen) {
      link.held = new CountDownLatch(1);
    }
    start("up", link::forwardMessages);
    start("down", link::forwardAnswers);
  }

  private Socket remember(Socket socket) {
    open.add(socket);
    return socket;
  }

  private final class Link {
    private final Socket client;
    private final Socket server;
    private volatile boolean losesAnswer;
    private volatile CountDownLatch held = new CountDownLatch(0);

    Link(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    void letGo() {
      held.countDown();
    }

    void forwardMessages() {
      forward(
          client,
          server,
          () -> {
            Fault fault = next.getAndSet(Fault.NONE);
            losesAnswer |= fault == Fault.LOSE_ANSWER;
            return fault != Fault.LOSE_MESSAGE;
          });
    }

    void forwardAnswers() {
      forward(server, client, () -> !losesAnswer);
    }

    private boolean isHoldAsked(byte[] message, int length) {
      byte[] text = holdAfter.get();
      return text != null && contains(message, length, text) && holdAfter.compareAndSet(text, null);
    }

    private void forward(Socket from, Socket to, BooleanSupplier passes) {
      byte[] buffer = new byte[64 * 1024];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
          if (!passes.getAsBoolean()) {
            break;
          }
          held.await();
          if (from == client && isHoldAsked(buffer, read)) {
            held = new CountDownLatch(1);
          }
          out.write(buffer, 0, read);
          out.flush();
        }
      } catch (IOException e) {
        // one side has gone: so must the other
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        // of a connection that is held back, neither side learns that the other has closed it
        awaitQuietly(held);
        close();
      }
    }

    void close() {
      links.remove(this);
      closeQuietly(client);
      closeQuietly(server);
      open.remove(client);
      open.remove(server);
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean contains(byte[] message, int length, byte[] text) {
    for (int at = 0; at + text.length <= length; at++) {
      if (Arrays.equals(message, at, at + text.length, text, 0, text.length)) {
        return true;
      }
    }
    return false;
  }

  private static void start(String name, Runnable task) {
    Thread thread = new Thread(task, "tcp-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is of no use any more
    }
  }
}
