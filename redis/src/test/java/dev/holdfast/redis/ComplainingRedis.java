package dev.holdfast.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Locale;

/**
 * Speaks as Redis does, and answers each script with the same error: those that a real one gives
 * only in moments that a test cannot hold.
 */
final class ComplainingRedis implements AutoCloseable {
  private final ServerSocket server;
  private volatile String error = "";

  ComplainingRedis() {
    try {
      server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::listen);
  }

  String uri() {
    return "redis://127.0.0.1:" + server.getLocalPort();
  }

  void complain(String answer) {
    error = answer;
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "complaining-redis");
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        start(() -> talk(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void talk(Socket socket) {
    try (socket;
        InputStream in = new BufferedInputStream(socket.getInputStream());
        OutputStream out = socket.getOutputStream()) {
      for (String command = command(in); !command.isEmpty(); command = command(in)) {
        String answer =
            switch (command) {
              case "EVALSHA", "EVAL" -> "-" + error;
              case "HELLO" -> "-ERR unknown command 'HELLO'";
              case "PING" -> "+PONG";
              default -> "+OK";
            };
        out.write((answer + "\r\n").getBytes(ISO_8859_1));
        out.flush();
      }
    } catch (IOException e) {
      // the client has gone
    }
  }

  /** The first word of the next command; empty where there is none. */
  private static String command(InputStream in) throws IOException {
    String line = line(in);
    if (line.isEmpty()) {
      return "";
    }
    String first = "";
    for (int words = Integer.parseInt(line.substring(1)); words > 0; words--) {
      int length = Integer.parseInt(line(in).substring(1));
      String word = new String(in.readNBytes(length), ISO_8859_1);
      in.readNBytes(2);
      first = first.isEmpty() ? word : first;
    }
    return first.toUpperCase(Locale.ROOT);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
