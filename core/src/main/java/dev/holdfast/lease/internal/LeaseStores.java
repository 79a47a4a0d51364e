package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseStore;
import dev.holdfast.sql.Dialect;
import dev.holdfast.sql.internal.TableSql;
import javax.sql.DataSource;

/** Finds the store of a database. */
public final class LeaseStores {
  private LeaseStores() {}

  /**
   * The tables in this schema, which is quoted and has a dot behind it, or is empty.
   *
   * @param renewals where the connections for renewals are from
   * @param shards over how many shards the names are spread
   */
  public static LeaseStore of(
      DataSource dataSource, DataSource renewals, Dialect dialect, String prefix, int shards) {
    LeaseHome home = new LeaseHome(dataSource, renewals, sql(dialect, prefix, shards));
    LeaseLook look = new LeaseLook(home, dialect);
    FenceRetention fence = new FenceRetention(home, dialect);
    return switch (dialect.family()) {
      case "postgresql" -> {
        Hearing hearing = new PostgreSqlHearing(dataSource);
        QueuedLeases queues = new QueuedLeases(home, new QueuedSql(home.sql()), hearing);
        yield new SqlLeaseStore(new PostgreSqlRowLeases(home), queues, look, hearing, fence);
      }
      case "mysql" -> {
        QueuedLeases queues = new QueuedLeases(home, new MySqlQueuedSql(home.sql()), Hearing.NONE);
        yield new SqlLeaseStore(
            new MySqlRowLeases(home, dialect), queues, look, Hearing.NONE, fence);
      }
      default -> {
        QueuedLeases queues = new QueuedLeases(home, new H2QueuedSql(home.sql()), Hearing.NONE);
        yield new SqlLeaseStore(new H2RowLeases(home), queues, look, Hearing.NONE, fence);
      }
    };
  }

  static LeaseSql sql(Dialect dialect, String prefix, int shards) {
    String left =
        switch (dialect.family()) {
          case "postgresql" ->
              "(date_part('epoch', expires_at - statement_timestamp()) * 1000000)::bigint";
          case "mysql" -> "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at)";
          default ->
              // DATEDIFF would not look at the zones, which differ between summer and winter
              "CAST((EXTRACT(EPOCH FROM expires_at) - EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)))"
                  + " * 1000000 AS bigint)";
        };
    return new LeaseSql(TableSql.of(dialect, prefix), left, shards);
  }
}
