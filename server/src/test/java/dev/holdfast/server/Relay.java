package dev.holdfast.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Passes connections on to a port, until it is cut: a network that fails and comes back. */
final class Relay implements AutoCloseable {
  private final ServerSocket listening;
  private final int to;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile boolean cut;

  Relay(int to) throws IOException {
    this.to = to;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** Ends all connections, and new ones as they come. */
  void cut() {
    cut = true;
    open.forEach(Relay::end);
  }

  void restore() {
    cut = false;
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket from = listening.accept();
        if (cut) {
          end(from);
          continue;
        }
        Socket onward = new Socket(InetAddress.getLoopbackAddress(), to);
        open.add(from);
        open.add(onward);
        start(() -> copy(from, onward));
        start(() -> copy(onward, from));
        if (cut) {
          open.forEach(Relay::end);
        }
      } catch (IOException e) {
        // closed, or the server is away
      }
    }
  }

  private void copy(Socket from, Socket to) {
    try (from;
        to;
        InputStream in = from.getInputStream()) {
      in.transferTo(to.getOutputStream());
    } catch (IOException e) {
      // one of both has ended it
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // it is over in any case
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "relay");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listening.close();
    open.forEach(Relay::end);
  }
}
