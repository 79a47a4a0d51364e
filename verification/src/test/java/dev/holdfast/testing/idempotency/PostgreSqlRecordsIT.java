package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.codec.Codec;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.spi.BeginResult;
import dev.holdfast.idempotency.spi.IdempotencyIntegration;
import dev.holdfast.idempotency.spi.OpenRequest;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What PostgreSQL makes of the table of records. */
class PostgreSqlRecordsIT {
  private static final IdempotencyKey KEY = IdempotencyKey.of("POST /orders", "k-1");
  private static final Fingerprint PAYLOAD = Fingerprint.of("two apples");

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();

  @AfterEach
  void drop() {
    schema.close();
  }

  private static Holdfast migrated(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    return Holdfast.create(schema.dataSource());
  }

  @Test
  void anAnswerChangesNoIndex() throws SQLException {
    Holdfast holdfast = migrated(schema);

    long inPlace =
        holdfast
            .transactions()
            .<Long, SQLException>call(
                tx -> {
                  BeginResult<OpenRequest.InTransaction> begun =
                      IdempotencyIntegration.of(holdfast.idempotency())
                          .begin(
                              tx, IdempotencyRequest.of(KEY, Codec.bytes()).fingerprint(PAYLOAD));
                  ((BeginResult.Open<OpenRequest.InTransaction>) begun)
                      .request()
                      .complete("two".getBytes(StandardCharsets.UTF_8));
                  try (Statement statement = tx.connection().createStatement();
                      ResultSet row =
                          statement.executeQuery(
                              "select sum(n_tup_hot_upd) from pg_stat_xact_user_tables"
                                  + " where relname = 'holdfast_idempotency'")) {
                    row.next();
                    return row.getLong(1);
                  }
                });

    assertThat(inPlace).isEqualTo(1);
  }

  @Test
  void theSameKeyInAnotherSchemaIsAnother() {
    try (TestSchema other = TestDatabase.postgreSql().newSchema()) {
      Idempotency here = migrated(schema).idempotency();
      Idempotency there = migrated(other).idempotency();

      IdempotencyResult<String> outer =
          here.execute(
              IdempotencyRequest.of(KEY, Codec.text()).fingerprint(PAYLOAD),
              tx ->
                  there
                      .execute(
                          IdempotencyRequest.of(KEY, Codec.text())
                              .fingerprint(PAYLOAD)
                              .waitTimeout(Duration.ZERO),
                          inner -> "there")
                      .orElseThrow());

      assertThat(outer.orElseThrow()).isEqualTo("there");
    }
  }
}
