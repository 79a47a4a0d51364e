package dev.holdfast.idempotency.internal;

import dev.holdfast.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.sql.Dialect;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Finds the store of a database. */
public final class IdempotencyStores {
  private IdempotencyStores() {}

  /**
   * The table in this schema, or in the current one.
   *
   * @param shards over how many shards the records are spread
   */
  public static TransactionalIdempotencyStore of(
      DataSource dataSource, Dialect dialect, @Nullable String schema, int shards) {
    RecordSql sql = new RecordSql(dialect, schema == null ? "" : dialect.quote(schema) + ".");
    Insertion insertion =
        switch (dialect.family()) {
          case "postgresql" -> new PostgreSqlInsertion(sql);
          case "mysql" ->
              new SessionInsertion(
                  sql,
                  dialect.insertReturnsRow()
                      ? SessionInsertion.Words.MARIADB
                      : SessionInsertion.Words.MYSQL);
          default -> new SessionInsertion(sql, SessionInsertion.Words.H2);
        };
    return new SqlIdempotencyStore(dataSource, dialect, sql, insertion, shards);
  }
}
