package dev.holdfast.bench;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Locale;

/**
 * One connection that is kept, with as little work per request as can be: on a machine with few
 * cores whoever measures takes from what is measured. For one thread.
 */
public final class HttpConnection implements AutoCloseable {
  private final int port;
  private Socket socket;
  private BufferedInputStream in;
  private boolean ended;

  private static final int BUFFER = 16 * 1024;

  /** An answer: its status and its body. */
  public record Answer(int status, String body) {}

  public HttpConnection(int port) throws IOException {
    this.port = port;
    this.socket = open(port);
    this.in = new BufferedInputStream(socket.getInputStream(), BUFFER);
  }

  private static Socket open(int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    return socket;
  }

  public static byte[] post(String path, String token, String body) {
    byte[] bytes = body.getBytes(UTF_8);
    String head =
        "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n".formatted(path)
            + (token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n")
            + "Content-Length: %d\r\n\r\n%s".formatted(bytes.length, body);
    return head.getBytes(UTF_8);
  }

  public Answer send(byte[] request) throws IOException {
    if (ended) {
      socket.close();
      socket = open(port);
      in = new BufferedInputStream(socket.getInputStream(), BUFFER);
      ended = false;
    }
    socket.getOutputStream().write(request);
    String first = line(in);
    int status = Integer.parseInt(first.substring(9, 12));
    int length = -1;
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      String lower = header.toLowerCase(Locale.ROOT);
      ended |= lower.equals("connection: close");
      if (lower.startsWith("content-length:")) {
        length = Integer.parseInt(lower.substring(15).strip());
      }
    }
    if (length >= 0) {
      return new Answer(status, new String(in.readNBytes(length), UTF_8));
    }
    StringBuilder body = new StringBuilder();
    for (int size = chunk(); size > 0; size = chunk()) {
      body.append(new String(in.readNBytes(size), UTF_8));
      line(in);
    }
    line(in);
    return new Answer(status, body.toString());
  }

  private int chunk() throws IOException {
    return Integer.parseInt(line(in), 16);
  }

  /** A line without its end. */
  public static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder(64);
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the connection has ended after: " + line);
      }
      if (next != '\r') {
        line.append((char) (next & 0xff));
      }
    }
    return new String(line.toString().getBytes(ISO_8859_1), UTF_8);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
