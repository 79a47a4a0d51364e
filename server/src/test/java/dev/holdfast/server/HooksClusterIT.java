package dev.holdfast.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.client.HoldfastClient;
import dev.holdfast.client.WebhookRequest;
import dev.holdfast.server.HookReceiver.Line;
import dev.holdfast.testing.KillableDatabase;
import dev.holdfast.testing.TestSchema;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one database, of which one is killed, and then the database too. */
@Timeout(300)
class HooksClusterIT {
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path temporary;

  @Test
  void losesNothingWhenKilledUnderLoad() throws Exception {
    try (KillableDatabase database = KillableDatabase.postgreSql();
        TestSchema schema = database.database().newSchema();
        ServerProcess one = serve(schema, "one");
        ServerProcess other = serve(schema, "other");
        ReceiverProcess receiver =
            ReceiverProcess.start(HooksIT.secret(one), temporary.resolve("received"))) {
      HoldfastClient client =
          HoldfastClient.builder(other.told("address"))
              .token(one.token())
              .retryTimeout(LIMIT)
              .build();
      Set<String> scheduled = new TreeSet<>();

      // slow ones, so that many are under way at any moment
      schedule(client, receiver, scheduled, "first", 300);
      await().atMost(LIMIT).until(() -> receiver.successes().size() > 50);
      one.kill();
      schedule(client, receiver, scheduled, "second", 100);
      awaitAll(receiver, scheduled, schema);
      assertThat(distinctIds(receiver.lines())).as("the same id again").isEqualTo(scheduled.size());
      assertThat(receiver.lines())
          .as("what was under way is delivered again")
          .hasSizeGreaterThan(scheduled.size());

      schedule(client, receiver, scheduled, "third", 200);
      database.kill();
      TimeUnit.SECONDS.sleep(2);
      database.restart();
      schedule(client, receiver, scheduled, "fourth", 50);
      awaitAll(receiver, scheduled, schema);
      assertThat(distinctIds(receiver.lines())).as("the same id again").isEqualTo(scheduled.size());
    }
  }

  private ServerProcess serve(TestSchema schema, String name) throws Exception {
    return ServerProcess.start(
            Map.of("HOLDFAST_DATABASE_PASSWORD", schema.password()),
            "serve",
            "--port=0",
            "--instance=" + name,
            "--token-file=" + temporary.resolve("token-" + name),
            "--database-url=" + schema.url(),
            "--database-user=" + schema.user(),
            "--allow=127.0.0.1")
        .awaitReady();
  }

  private static void schedule(
      HoldfastClient client,
      ReceiverProcess receiver,
      Set<String> scheduled,
      String wave,
      int count) {
    for (int number = 0; number < count; number++) {
      String path = "/slow/" + wave + "/" + number;
      client.schedule(
          WebhookRequest.post(receiver.url(path))
              .key(wave + "-" + number)
              .delay(Duration.ofMillis(number * 10L)));
      scheduled.add(path);
    }
  }

  /** Received, and the answer stored. */
  private static void awaitAll(ReceiverProcess receiver, Set<String> scheduled, TestSchema schema) {
    await()
        .atMost(LIMIT)
        .ignoreExceptions()
        .until(() -> schema.count("select count(*) from holdfast_event") == 0);
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () ->
                assertThat(
                        receiver.successes().stream().map(Line::path).collect(Collectors.toSet()))
                    .containsAll(scheduled));
  }

  /** As many as paths, where every attempt of one call has the same id. */
  private static long distinctIds(List<Line> lines) {
    return lines.stream().map(Line::id).distinct().count();
  }
}
