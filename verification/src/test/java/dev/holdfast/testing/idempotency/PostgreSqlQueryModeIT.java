package dev.holdfast.testing.idempotency;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import org.junit.jupiter.api.Test;

/** A driver that sends the statements of one text one by one. */
class PostgreSqlQueryModeIT {
  @Test
  void claimsAreRefusedByAnErrorThatNamesTheQueryMode() {
    try (TestSchema schema = TestDatabase.postgreSql().newSchema();
        HikariDataSource pool = new HikariDataSource()) {
      Holdfast.create(schema.dataSource()).migrations().migrate();
      pool.setJdbcUrl(schema.url() + "&preferQueryMode=simple");
      pool.setUsername(schema.user());
      pool.setPassword(schema.password());
      Claims claims = Holdfast.create(pool).idempotency().claims();

      assertThatThrownBy(
              () ->
                  claims.run(
                      IdempotencyKey.of("orders", "k"),
                      Fingerprint.of("payload"),
                      ReplyCodecs.text(),
                      claim -> "answer"))
          .isInstanceOf(SqlFailedException.class)
          .hasMessageContaining("preferQueryMode=simple");
    }
  }
}
