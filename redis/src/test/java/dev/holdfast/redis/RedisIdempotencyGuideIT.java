package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.testing.KillableRedis;
import dev.holdfast.workflow.Workflows;
import io.lettuce.core.RedisClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The snippet about Redis in the guide to idempotency, run. */
class RedisIdempotencyGuideIT {
  private final Mailer mailer = new Mailer();

  private static final class Mailer {
    final List<String> sent = new ArrayList<>();

    String send(String to) {
      sent.add(to);
      return "sent to " + to;
    }
  }

  @Test
  void aMailIsSentOnce() {
    IdempotencyRequest<String> request = IdempotencyRequest.of("mail", "k", String.class);
    try (KillableRedis server = KillableRedis.start()) {
      RedisClient client = RedisClient.create(server.uri());
      for (int time = 0; time < 2; time++) {
        try (RedisIdempotencyStore store = RedisIdempotencyStore.using(client)) {
          Workflows workflows = Holdfast.createWorkflows(store);
          IdempotencyResult<String> sent =
              workflows.run(request, steps -> mailer.send("ana@example.com"));
          assertThat(sent.orElseThrow()).isEqualTo("sent to ana@example.com");
        }
      }
      client.shutdown();
    }
    assertThat(mailer.sent).hasSize(1);
  }
}
