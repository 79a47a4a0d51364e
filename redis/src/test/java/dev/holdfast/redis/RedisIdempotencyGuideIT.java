package dev.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.OnceResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.KillableRedis;
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
    IdempotencyKey key = IdempotencyKey.of("mail", "k");
    Fingerprint fingerprint = Fingerprint.NONE;
    try (KillableRedis server = KillableRedis.start()) {
      RedisClient client = RedisClient.create(server.uri());
      for (int time = 0; time < 2; time++) {
        try (RedisIdempotencyStore store = RedisIdempotencyStore.using(client)) {
          Claims claims = Claims.on(store);
          OnceResult<String> sent =
              claims.run(
                  key, fingerprint, ReplyCodecs.text(), claim -> mailer.send("ana@example.com"));
          assertThat(sent.orThrow()).isEqualTo("sent to ana@example.com");
        }
      }
      client.shutdown();
    }
    assertThat(mailer.sent).hasSize(1);
  }
}
