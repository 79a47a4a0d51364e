package dev.holdfast.bench.server;

import dev.holdfast.bench.HttpConnection;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that receives calls as fast as can be and counts those that are signed: a thread for
 * each connection, and the same small answer for all. {@code GET /count} tells how many there were.
 */
public final class Receiver {
  private static final byte[] OK =
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private static final AtomicLong RECEIVED = new AtomicLong();

  private Receiver() {}

  public static void main(String... args) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress())) {
      System.out.println("port " + server.getLocalPort());
      while (true) {
        Socket socket = server.accept();
        Thread thread = new Thread(() -> serve(socket));
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  private static void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      BufferedInputStream in = new BufferedInputStream(socket.getInputStream(), 16 * 1024);
      while (true) {
        answer(socket, in);
      }
    } catch (IOException ended) {
      // by the other side
    }
  }

  private static void answer(Socket socket, BufferedInputStream in) throws IOException {
    String first = HttpConnection.line(in);
    int length = 0;
    boolean signed = false;
    for (String header = HttpConnection.line(in);
        !header.isEmpty();
        header = HttpConnection.line(in)) {
      String lower = header.toLowerCase(Locale.ROOT);
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
      signed |= lower.startsWith("webhook-signature:");
    }
    in.skipNBytes(length);
    if (first.startsWith("GET /count")) {
      String count = Long.toString(RECEIVED.get());
      String answer = "HTTP/1.1 200 OK\r\nContent-Length: " + count.length() + "\r\n\r\n" + count;
      socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
      return;
    }
    if (signed) {
      RECEIVED.incrementAndGet();
    }
    socket.getOutputStream().write(OK);
  }
}
