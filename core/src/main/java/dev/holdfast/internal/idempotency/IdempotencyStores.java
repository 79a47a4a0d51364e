package dev.holdfast.internal.idempotency;

import dev.holdfast.internal.sql.Dialect;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Makes the store of a database. */
public final class IdempotencyStores {
  private IdempotencyStores() {}

  /**
   * The store on the table in this schema, or in the current one.
   *
   * @param shards over how many shards the records are spread
   */
  public static TransactionalIdempotencyStore of(
      DataSource dataSource, Dialect dialect, @Nullable String schema, int shards) {
    RecordStatements sql =
        new RecordStatements(dialect, schema == null ? "" : dialect.quote(schema) + ".");
    RecordInserter inserter =
        switch (dialect.family()) {
          case "postgresql" -> new PostgreSqlRecordInserter(sql);
          case "mysql" ->
              new SessionRecordInserter(
                  sql,
                  dialect.insertReturnsRow()
                      ? SessionRecordInserter.Syntax.MARIADB
                      : SessionRecordInserter.Syntax.MYSQL);
          default -> new SessionRecordInserter(sql, SessionRecordInserter.Syntax.H2);
        };
    return new SqlIdempotencyStore(dataSource, dialect, sql, inserter, shards);
  }
}
