package dev.holdfast.event;

import dev.holdfast.event.internal.DepthSql;
import dev.holdfast.event.internal.EventStore;
import dev.holdfast.event.internal.StatSql;
import dev.holdfast.sql.Isolation;
import dev.holdfast.sql.SqlFailedException;
import dev.holdfast.sql.Transactions;
import dev.holdfast.sql.internal.Autocommit;
import dev.holdfast.sql.internal.NetworkTimeout;
import dev.holdfast.sql.internal.SqlText;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Where the events of one Holdfast are, and how their payloads are written.
 *
 * @param networkTimeout how long a step waits for an answer of the server; null for no limit
 */
record EventHome(
    DataSource dataSource,
    Transactions transactions,
    EventStore store,
    StatSql stats,
    DepthSql depths,
    PayloadCodec codec,
    int shards,
    @Nullable Duration networkTimeout) {
  /** Without a limit for the network. */
  EventHome(
      DataSource dataSource,
      Transactions transactions,
      EventStore store,
      StatSql stats,
      DepthSql depths,
      PayloadCodec codec,
      int shards) {
    this(dataSource, transactions, store, stats, depths, codec, shards, null);
  }

  /** Statements that answer something. */
  interface Statements<T> {
    T run(Connection connection) throws SQLException;
  }

  /**
   * Runs one step of the store, and returns when it is committed. A step that is one statement
   * needs no transaction around it, which saves a round trip.
   */
  <T> T step(Supplier<String> doing, Statements<T> step) {
    return store.stepsAreStatements() ? statement(doing, step) : call(doing, step);
  }

  /**
   * Runs a single statement outside of any transaction: who is cut off after it holds no locks
   * until the server notices.
   */
  <T> T statement(Supplier<String> doing, Statements<T> step) {
    try (Connection connection = dataSource.getConnection()) {
      return NetworkTimeout.run(
          connection, networkTimeout, limited -> Autocommit.run(limited, step::run));
    } catch (SQLException e) {
      throw new SqlFailedException(doing.get(), e);
    }
  }

  /** Runs statements in a transaction of their own. */
  <T> T call(Supplier<String> doing, Statements<T> statements) {
    Transactions limited =
        networkTimeout == null ? transactions : transactions.networkTimeout(networkTimeout);
    return limited.<T, RuntimeException>call(
        tx -> {
          try {
            return statements.run(tx.connection());
          } catch (SQLException e) {
            throw SqlText.failed(tx, doing.get(), e);
          }
        });
  }

  /** The same, through other connections. */
  EventHome over(DataSource other) {
    return new EventHome(
        other,
        Transactions.on(other).requiresNew().isolation(Isolation.READ_COMMITTED),
        store,
        stats,
        depths,
        codec,
        shards,
        networkTimeout);
  }

  /** The same, in transactions of another kind. */
  EventHome with(Transactions other) {
    return new EventHome(dataSource, other, store, stats, depths, codec, shards, networkTimeout);
  }

  /**
   * The same, with connections that do not wait for the server without a limit: packets may be
   * dropped silently, and then a driver waits for hours.
   */
  EventHome within(Duration networkTimeout) {
    return new EventHome(
        dataSource, transactions, store, stats, depths, codec, shards, networkTimeout);
  }

  /** Lets all workers look at what there is to do, where the database can tell them. */
  void tellOthersToLook() {
    if (store().signals().exist()) {
      step(
          () -> "telling others to look",
          connection -> {
            store().signals().send(connection, Signal.LOOK);
            return true;
          });
    }
  }

  /** The shard of an event: by what must be unique or in order, or else any. */
  int shardOf(@Nullable String key, @Nullable String orderingKey) {
    if (shards == 1) {
      return 0;
    }
    String decides = orderingKey == null ? key : orderingKey;
    return decides == null ? ThreadLocalRandom.current().nextInt(shards) : hash(decides);
  }

  int hash(String text) {
    CRC32C hash = new CRC32C();
    hash.update(text.getBytes(StandardCharsets.UTF_8));
    return (int) (hash.getValue() % shards);
  }
}
