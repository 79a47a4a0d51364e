package dev.holdfast.torture.work;

import dev.holdfast.HoldfastException;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.torture.history.Kind;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Makes idempotent requests. The key is of the time, which all processes share, so that several of
 * them make the same request at about the same time.
 */
final class OnceLoad {
  private static final long SLOT_NANOS = 500_000_000;
  private static final String EFFECT =
      "INSERT INTO torture_once (request_key, reply) VALUES (?, ?)";

  private final Context context;

  OnceLoad(Context context) {
    this.context = context;
  }

  void start(long millis) {
    for (int thread = 0; thread < 2; thread++) {
      context.pace().loop("once-" + thread, millis, this::request);
    }
  }

  private void request() throws SQLException {
    String key =
        "k" + System.nanoTime() / SLOT_NANOS + "-" + ThreadLocalRandom.current().nextInt(2);
    String call = key + " " + Thread.currentThread().getName();
    context.history().add(Kind.ONCE_INTENT, call);
    try {
      IdempotencyResult<String> result =
          context
              .holdfast()
              .idempotency()
              .execute(
                  IdempotencyRequest.of(IdempotencyKey.of("torture", key), Codec.text())
                      .fingerprint(Fingerprint.of(key)),
                  tx -> {
                    String reply = UUID.randomUUID().toString();
                    try (PreparedStatement insert = tx.connection().prepareStatement(EFFECT)) {
                      insert.setString(1, key);
                      insert.setString(2, reply);
                      insert.executeUpdate();
                    }
                    return reply;
                  });
      if (result instanceof IdempotencyResult.Executed<String> executed) {
        context.history().add(Kind.ONCE_REPLY, call, executed.value());
      } else if (result instanceof IdempotencyResult.Replayed<String> replayed) {
        context.history().add(Kind.ONCE_REPLY, call, replayed.value());
      } else {
        context.history().add(Kind.ONCE_NONE, call, result);
      }
    } catch (SQLException | HoldfastException e) {
      context.history().add(Kind.ONCE_NONE, call, e);
    }
  }
}
