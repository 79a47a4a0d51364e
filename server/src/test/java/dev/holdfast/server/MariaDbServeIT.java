package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server on a MariaDB of one's own. */
@Timeout(240)
class MariaDbServeIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path temporary;

  @Test
  void anEventIsAcceptedAndDelivered() throws Exception {
    try (TestSchema schema = TestDatabase.mariaDb().newSchema();
        ServerProcess server = serve(schema);
        ReceiverProcess receiver =
            ReceiverProcess.start(HooksIT.secret(server), temporary.resolve("received"))) {
      String event = "{\"target\":{\"url\":\"" + receiver.url("/paid") + "\"}}";
      assertThat(server.send("PUT", "/v1/events/paid", event).statusCode()).isEqualTo(201);
      assertThat(server.send("PUT", "/v1/events/paid", event).statusCode()).isEqualTo(200);

      await().atMost(LIMIT).until(() -> receiver.successes().size() == 1);
      await()
          .atMost(LIMIT)
          .untilAsserted(
              () ->
                  assertThat(server.get("/v1/events?status=COMPLETED", server.token()).body())
                      .contains("\"paid\""));
      assertThat(server.get("/readyz", "").statusCode()).isEqualTo(200);
      assertThat(server.terminate().exitCode(LIMIT)).isZero();
    }
  }

  private ServerProcess serve(TestSchema schema) throws Exception {
    return ServerProcess.start(
            Map.of("HOLDFAST_DATABASE_PASSWORD", schema.password()),
            "serve",
            "--port=0",
            "--token-file=" + temporary.resolve("token"),
            "--database-url=" + schema.url(),
            "--database-user=" + schema.user(),
            "--allow=127.0.0.1")
        .awaitReady();
  }
}
