package dev.holdfast.testing.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.CreateResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Creating once on PostgreSQL, where an insert looks at the index of its key first, and at the
 * others in the order of their age when it writes them.
 */
class PostgreSqlCreateOnceIT {
  private static final long LOCK = 4_711;

  @Test
  void findsRowCreatedAfterLookup() throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (TestSchema schema = TestDatabase.postgreSql().newSchema();
        Connection gate = schema.unpooled().getConnection()) {
      // an insert with the setting on stops at the oldest index until the gate is open
      schema.execute(
          """
          create function pause(id bigint) returns bigint immutable language plpgsql as $$
          begin
            if current_setting('shop.pause', true) = 'on' then
              perform pg_advisory_xact_lock_shared(%d);
            end if;
            return id;
          end $$
          """
              .formatted(LOCK),
          "create table shipments (id bigint, label varchar(20), order_no varchar(20))",
          "create index oldest on shipments (pause(id))",
          "create unique index by_label on shipments (label)",
          "create unique index by_order on shipments (order_no)");
      CreateIfAbsent shipment =
          CreateIfAbsent.table("shipments").key("order_no", "O-1").set("id", 1).set("label", "L-1");
      Transactions transactions = Transactions.on(schema.dataSource());
      execute(gate, "select pg_advisory_lock(" + LOCK + ")");

      Future<CreateResult> paused =
          thread.submit(
              () ->
                  transactions.<CreateResult, SQLException>call(
                      tx -> {
                        execute(tx.connection(), "set local shop.pause = 'on'");
                        return usable(tx, shipment.apply(tx));
                      }));
      awaitPause(schema, paused);
      CreateResult first = transactions.<CreateResult, RuntimeException>call(shipment::apply);
      execute(gate, "select pg_advisory_unlock(" + LOCK + ")");

      assertThat(first.created()).isTrue();
      assertThat(paused.get(30, TimeUnit.SECONDS))
          .isEqualTo(new CreateResult.AlreadyExists(first.row()));
    } finally {
      thread.shutdownNow();
    }
  }

  private static CreateResult usable(Transaction tx, CreateResult result) throws SQLException {
    execute(tx.connection(), "select 1");
    return result;
  }

  private static void awaitPause(TestSchema schema, Future<?> paused) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    String waiting =
        "select count(*) from pg_locks where locktype = 'advisory' and not granted and objid = "
            + LOCK;
    while (schema.count(waiting) == 0) {
      assertThat(paused.isDone()).as("the paused creation has ended").isFalse();
      assertThat(System.nanoTime()).as("still not paused").isLessThan(deadline);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
