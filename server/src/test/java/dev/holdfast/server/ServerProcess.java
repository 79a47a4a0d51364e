package dev.holdfast.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program as a process of its own, as somebody starts it in a shell. */
final class ServerProcess implements AutoCloseable {
  static final Path CACHE = Path.of(System.getProperty("java.io.tmpdir"), "holdfast-embedded-it");

  /** What ./holdfast gives the JVM. */
  private static final Path LAUNCHER_FLAGS = Path.of("launcher.flags").toAbsolutePath();

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Pattern TOKEN = Pattern.compile("hf_\\w{10}_\\S{43}");
  private static final Pattern TOKEN_FILE = Pattern.compile("(?m) the token in (\\S+)$");

  private final Process process;
  private final StringBuilder output = new StringBuilder();

  private boolean ended;

  private ServerProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::readAll, "output of " + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  static ServerProcess start(Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("@" + LAUNCHER_FLAGS);
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
    builder.environment().putAll(environment);
    return new ServerProcess(builder.start());
  }

  /** Serves on a free port from this folder, with these options too, and is ready. */
  static ServerProcess serving(Path data, String... options) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("serve", "--port=0", "--data=" + data, "--cache=" + CACHE));
    arguments.add("--shutdown-timeout=20");
    arguments.addAll(List.of(options));
    return start(Map.of(), arguments.toArray(String[]::new)).awaitReady();
  }

  ServerProcess awaitReady() throws IOException {
    readUntil("  try  ");
    return this;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** The value of a metric, by its name and tags as they are printed. */
  double metric(String name) throws IOException, InterruptedException {
    return get("/metrics", token())
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no metric " + name));
  }

  /** What it has written so far. */
  String output() {
    synchronized (output) {
      return output.toString();
    }
  }

  /** The last line that it writes; before it, there may be lines of the log. */
  String lastLine() throws IOException {
    return allOutput().strip().replaceFirst("(?s).*\\n", "");
  }

  /** All that it writes until it ends. */
  String allOutput() throws IOException {
    readUntil("\0");
    return output();
  }

  String token() {
    try {
      return Files.readString(tokenFile()).strip();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Where the first token is. */
  Path tokenFile() {
    Matcher file = TOKEN_FILE.matcher(output());
    if (!file.find()) {
      throw new AssertionError("no file with a token in:\n" + output);
    }
    return Path.of(file.group(1));
  }

  /** Whether it has made a token, and said where it is. */
  boolean toldAToken() {
    return TOKEN_FILE.matcher(output()).find();
  }

  /** Whether a token can be read in what it has written. */
  boolean printedAToken() {
    return TOKEN.matcher(output()).find();
  }

  /** What stands behind this word in the greeting. */
  String told(String word) {
    Matcher line = Pattern.compile("(?m)^  " + word + " +(.*)$").matcher(output());
    if (!line.find()) {
      throw new AssertionError("no '" + word + "' in:\n" + output);
    }
    return line.group(1);
  }

  /** A request to a path, with this token where it is not empty. */
  HttpResponse<String> get(String path, String token, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(told("address").replaceFirst("/$", "") + path))
            .timeout(Duration.ofSeconds(10));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  /** A request with a body of JSON. */
  HttpResponse<String> send(String method, String path, String json, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(told("address").replaceFirst("/$", "") + path))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer " + token())
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(json));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  /** Begins a session, as the dashboard does; its cookie. */
  String signIn() throws IOException, InterruptedException {
    return send("POST", "/v1/session", "{\"token\":\"" + token() + "\"}")
        .headers()
        .firstValue("Set-Cookie")
        .orElseThrow();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Sends SIGTERM; {@link Process#destroy()} would close its output too. */
  ServerProcess terminate() throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-TERM", Long.toString(process.pid())).start().waitFor();
    return this;
  }

  int exitCode(Duration limit) throws InterruptedException {
    if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError("has not ended within " + limit);
    }
    return process.exitValue();
  }

  /** Reads all the time: a process whose output is not read stands still. */
  private void readAll() {
    try (BufferedReader reader = process.inputReader(UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        append(line);
      }
    } catch (IOException e) {
      append(e.toString());
    }
    synchronized (output) {
      ended = true;
      output.notifyAll();
    }
  }

  private void append(String line) {
    synchronized (output) {
      output.append(line).append('\n');
      output.notifyAll();
    }
  }

  private void readUntil(String text) throws IOException {
    synchronized (output) {
      try {
        while (output.indexOf(text) < 0 && !ended) {
          output.wait();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("while reading what the server says");
      }
      if (output.indexOf(text) < 0 && !text.equals("\0")) {
        throw new AssertionError("the process has ended:\n" + output);
      }
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
