package dev.holdfast.bench.server;

import dev.holdfast.bench.HttpConnection;
import dev.holdfast.bench.HttpConnection.Answer;
import dev.holdfast.testing.TestSchema;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The service as {@code ./holdfast serve} starts it, on the database of the bench. */
record Service(Program program, int port, String token) implements AutoCloseable {
  private static final int BATCH = 2500;

  static Service start(TestSchema schema, int connections) throws Exception {
    Path tokens = Files.createTempDirectory("holdfast-bench");
    Path command = Path.of(System.getProperty("holdfast.home", "."), "holdfast");
    Program program =
        Program.start(
            "serve",
            List.of(
                command.toString(),
                "serve",
                "--port=0",
                "--database-url=" + schema.url(),
                "--database-user=" + schema.user(),
                "--connections=" + connections,
                "--token-file=" + tokens.resolve("token"),
                "--allow=127.0.0.1"),
            Map.of("HOLDFAST_DATABASE_PASSWORD", schema.password()));
    int port = Integer.parseInt(program.awaitLine("^  address +http://[^:]+:(\\d+)/"));
    Path file = Path.of(program.awaitLine(" the token in (\\S+)$"));
    String token = Files.readString(file).strip();
    Files.delete(file);
    Files.delete(tokens);
    return new Service(program, port, token);
  }

  byte[] newEvent(String after) {
    return HttpConnection.post("/v1/events", token, event("http://127.0.0.1:7999/hook", after));
  }

  /** Events for one target, stored in batches. */
  void store(int events, String url, String queue) throws Exception {
    try (HttpConnection connection = new HttpConnection(port)) {
      for (int left = events; left > 0; left -= BATCH) {
        String item = event(url, "PT0S").replaceFirst("\\{", "{\"queue\":\"" + queue + "\",");
        String items = String.join(",", Collections.nCopies(Math.min(left, BATCH), item));
        Answer answer =
            connection.send(
                HttpConnection.post("/v1/events:batch", token, "{\"items\":[" + items + "]}"));
        if (answer.status() != 200) {
          throw new IllegalStateException("the batch was not accepted: " + answer);
        }
      }
    }
  }

  private static String event(String url, String after) {
    return "{\"target\":{\"url\":\"%s\",\"method\":\"POST\",\"body\":%s},\"delay\":\"%s\"}"
        .formatted(url, Payload.BODY, after);
  }

  @Override
  public void close() {
    program.close();
  }
}
