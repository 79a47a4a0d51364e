package dev.holdfast.webhook;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ServerSocketFactory;

/** A real server on a socket that behaves as badly as a test wants it to. */
final class Receiver implements AutoCloseable {
  static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  private final ServerSocket server;
  private final Script script;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "receiver");
            thread.setDaemon(true);
            return thread;
          });
  private final List<Socket> connections = new CopyOnWriteArrayList<>();
  private final List<Request> requests = new CopyOnWriteArrayList<>();

  /** What it does with a connection; it stays open after that, until the receiver is closed. */
  interface Script {
    void serve(Connection connection) throws Exception;
  }

  /** One connection, seen from the receiver. */
  final class Connection {
    final Socket socket;
    final InputStream in;
    final OutputStream out;
    final int number;

    Connection(Socket socket, int number) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream());
      this.out = socket.getOutputStream();
      this.number = number;
    }

    Request read() throws IOException {
      Request request = Request.read(in, number);
      requests.add(request);
      return request;
    }

    void write(String text) throws IOException {
      out.write(text.getBytes(StandardCharsets.ISO_8859_1));
      out.flush();
    }
  }

  private Receiver(ServerSocket server, Script script) {
    this.server = server;
    this.script = script;
    threads.execute(this::accept);
  }

  /** Reads requests and gives each this answer. */
  static Receiver answering(String answer) throws IOException {
    return on(
        "127.0.0.1",
        connection -> {
          while (true) {
            connection.read();
            connection.write(answer);
          }
        });
  }

  static Receiver doing(Script script) throws IOException {
    return on("127.0.0.1", script);
  }

  static Receiver on(String address, Script script) throws IOException {
    return on(address, 0, ServerSocketFactory.getDefault(), script);
  }

  static Receiver on(String address, int port, ServerSocketFactory factory, Script script)
      throws IOException {
    return new Receiver(
        factory.createServerSocket(port, 4096, Addresses.of(address).get(0)), script);
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        connections.add(socket);
        int number = connections.size();
        threads.execute(() -> serve(socket, number));
      }
    } catch (IOException closed) {
      // the end of the test
    }
  }

  private void serve(Socket socket, int number) {
    try {
      script.serve(new Connection(socket, number));
    } catch (Exception gone) {
      try {
        socket.close();
      } catch (IOException already) {
        // nothing is left to close
      }
    }
  }

  int port() {
    return server.getLocalPort();
  }

  String url() {
    return "http://127.0.0.1:" + port() + "/hook";
  }

  List<Request> requests() {
    return requests;
  }

  int connections() {
    return connections.size();
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : connections) {
      socket.close();
    }
    threads.shutdownNow();
  }
}
