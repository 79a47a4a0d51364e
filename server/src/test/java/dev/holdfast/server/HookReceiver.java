package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.client.InvalidWebhookException;
import dev.holdfast.client.VerifiedWebhook;
import dev.holdfast.client.WebhookSecret;
import dev.holdfast.client.WebhookVerifier;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that receives webhooks and behaves as the first part of the path says: it fails, hangs,
 * answers slowly, resets, redirects or answers 10 MB, in most cases the first time that it sees a
 * {@code webhook-id} and not after. It writes one line for each genuine webhook into a file: the
 * path, the id, the attempt, the body, and whether it was answered with success; and {@code FORGED}
 * for any other request.
 */
final class HookReceiver {
  /** Of a large answer: 10 MB, in chunks, so that a dozen at a time need no memory. */
  private static final byte[] CHUNK = "x".repeat(64 * 1024).getBytes(US_ASCII);

  private static final int CHUNKS = 160;
  private static final Map<String, AtomicInteger> SEEN = new ConcurrentHashMap<>();

  private final WebhookVerifier verifier;
  private final Path log;
  private final int port;

  private HookReceiver(WebhookVerifier verifier, Path log, int port) {
    this.verifier = verifier;
    this.log = log;
    this.port = port;
  }

  /** One line of the file. */
  record Line(String path, String id, int attempt, String body, boolean success) {}

  static List<Line> read(Path log) throws IOException {
    return Files.readAllLines(log).stream()
        .map(line -> line.split("\t", -1))
        .map(
            part ->
                new Line(
                    part[0],
                    part[1],
                    Integer.parseInt(part[2]),
                    part[3],
                    Boolean.parseBoolean(part[4])))
        .toList();
  }

  /** Started by the test with its class path; prints its port. */
  public static void main(String... args) throws IOException {
    WebhookVerifier verifier = WebhookVerifier.of(WebhookSecret.of(args[0]));
    try (ServerSocket server = new ServerSocket(0, 500, InetAddress.getLoopbackAddress())) {
      HookReceiver receiver = new HookReceiver(verifier, Path.of(args[1]), server.getLocalPort());
      System.out.println("port " + server.getLocalPort());
      while (true) {
        Socket socket = server.accept();
        Thread thread = new Thread(() -> receiver.serve(socket));
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (answer(socket, in)) {
        // as long as both want to
      }
    } catch (IOException | InterruptedException ended) {
      // by the other side, or as told
    }
  }

  private boolean answer(Socket socket, InputStream in) throws IOException, InterruptedException {
    String path = line(in).split(" ", 3)[1];
    Map<String, List<String>> headers = new HashMap<>();
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT),
          List.of(line.substring(colon + 1).strip()));
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", List.of("0")).get(0));
    byte[] body = in.readNBytes(length);
    VerifiedWebhook webhook;
    try {
      webhook = verifier.verify(headers, body);
    } catch (InvalidWebhookException e) {
      write("FORGED " + path + "\t\t0\t" + e.getMessage() + "\tfalse");
      return false;
    }
    int time = SEEN.computeIfAbsent(webhook.id(), id -> new AtomicInteger()).incrementAndGet();
    String attempt = headers.getOrDefault("holdfast-attempt", List.of("0")).get(0);
    String known =
        path + "\t" + webhook.id() + "\t" + attempt + "\t" + new String(body, UTF_8) + "\t";
    return behave(path.split("/", 3)[1], time == 1, known, socket);
  }

  private boolean behave(String how, boolean first, String known, Socket socket)
      throws IOException, InterruptedException {
    OutputStream out = socket.getOutputStream();
    if (how.equals("gone")) {
      write(known + "false");
      return send(out, "410 Gone", "", "");
    }
    if (first && !how.equals("ok") && !how.equals("large") && !how.equals("slow")) {
      write(known + "false");
      return switch (how) {
        case "fail" -> send(out, "503 Service Unavailable", "", "not now");
        case "busy" -> send(out, "429 Too Many Requests", "Retry-After: 1\r\n", "");
        case "redirect" ->
            send(out, "302 Found", "Location: http://127.0.0.1:" + port + "/ok/away\r\n", "");
        case "reset" -> {
          socket.setSoLinger(true, 0);
          yield false;
        }
        case "half" -> {
          out.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly".getBytes(US_ASCII));
          yield false;
        }
        default -> { // hang
          TimeUnit.MINUTES.sleep(5);
          yield false;
        }
      };
    }
    if (how.equals("slow")) {
      TimeUnit.MILLISECONDS.sleep(600);
    }
    write(known + "true");
    return how.equals("large") ? sendLarge(out) : send(out, "200 OK", "", "thanks");
  }

  private static boolean send(OutputStream out, String status, String headers, String body)
      throws IOException {
    String head =
        "HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n".formatted(status, headers, body.length());
    out.write((head + body).getBytes(US_ASCII));
    return true;
  }

  private static boolean sendLarge(OutputStream out) throws IOException {
    int length = CHUNK.length * CHUNKS;
    out.write(("HTTP/1.1 200 OK\r\nContent-Length: " + length + "\r\n\r\n").getBytes(US_ASCII));
    for (int sent = 0; sent < CHUNKS; sent++) {
      out.write(CHUNK);
    }
    return true;
  }

  /** Before the answer, so that what was answered is known. */
  private synchronized void write(String line) throws IOException {
    Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new IOException("ended");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }
}
