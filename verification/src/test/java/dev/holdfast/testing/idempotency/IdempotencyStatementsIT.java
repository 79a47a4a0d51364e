package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a request that takes effect once costs beside its work: two statements. */
class IdempotencyStatementsIT {
  private static final Fingerprint PAYLOAD = Fingerprint.of("two apples");

  @Test
  void secondStatementIsSentWithCommit() {
    List<String> sent = sentBy(TestDatabase.postgreSql());

    assertThat(sent).hasSize(2);
    assertThat(sent.get(0)).contains("INSERT INTO", "holdfast_idempotency");
    assertThat(sent.get(1)).contains("UPDATE", "holdfast_idempotency").endsWith("COMMIT");
  }

  @Test
  void onMariaDbTheyAreTwoToo() {
    List<String> sent = sentBy(TestDatabase.mariaDb());

    assertThat(sent).hasSize(2);
    assertThat(sent.get(0)).contains("INSERT INTO", "holdfast_idempotency");
    assertThat(sent.get(1)).contains("UPDATE", "holdfast_idempotency");
  }

  private static List<String> sentBy(TestDatabase database) {
    try (TestSchema schema = database.newSchema()) {
      Holdfast.create(schema.dataSource()).migrations().migrate();
      List<String> sent = new ArrayList<>();
      Holdfast holdfast =
          Holdfast.create(
              InterceptingDataSource.of(schema.dataSource(1), (connection, sql) -> sent.add(sql)));
      once(holdfast, "the first finds out about the database");
      sent.clear();

      assertThat(once(holdfast, "k-1")).isInstanceOf(IdempotencyResult.Executed.class);
      return List.copyOf(sent);
    }
  }

  private static IdempotencyResult<String> once(Holdfast holdfast, String name) {
    return holdfast
        .idempotency()
        .execute(
            IdempotencyRequest.of(IdempotencyKey.of("POST /orders", name), ReplyCodecs.text())
                .fingerprint(PAYLOAD),
            tx -> "done");
  }
}
