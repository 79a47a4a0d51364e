package dev.holdfast.internal.event.engine;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventType;
import dev.holdfast.event.PayloadCodec;
import dev.holdfast.internal.Excerpt;
import dev.holdfast.internal.Require;
import dev.holdfast.internal.event.FailureText;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.QueueDepthStatements;
import dev.holdfast.internal.event.store.StatsStatements;
import dev.holdfast.internal.event.store.StoredPayload;
import dev.holdfast.internal.sql.AutocommitRunner;
import dev.holdfast.internal.sql.NetworkTimeout;
import dev.holdfast.internal.sql.SqlBuilder;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
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
 * The database of the events of one Holdfast, and how their payloads are encoded.
 *
 * @param networkTimeout how long a step waits for a response of the server; null for no limit
 */
record EventBackend(
    DataSource dataSource,
    Transactions transactions,
    EventStore store,
    StatsStatements stats,
    QueueDepthStatements depths,
    PayloadCodec codec,
    int shards,
    @Nullable Duration networkTimeout) {
  private static final int MAX_REASON_LENGTH = 300;

  /** Without a limit for the network. */
  EventBackend(
      DataSource dataSource,
      Transactions transactions,
      EventStore store,
      StatsStatements stats,
      QueueDepthStatements depths,
      PayloadCodec codec,
      int shards) {
    this(dataSource, transactions, store, stats, depths, codec, shards, null);
  }

  /** Statements with a result. */
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
   * Runs a single statement outside of any transaction: an instance that is cut off after it holds
   * no locks until the server notices.
   */
  <T> T statement(Supplier<String> doing, Statements<T> step) {
    try (Connection connection = dataSource.getConnection()) {
      return NetworkTimeout.run(
          connection, networkTimeout, limited -> AutocommitRunner.run(limited, step::run));
    } catch (SQLException e) {
      throw new DatabaseException(doing.get(), e);
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
            throw SqlBuilder.failed(tx, doing.get(), e);
          }
        });
  }

  /** The same, through other connections. */
  EventBackend over(DataSource other) {
    return new EventBackend(
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
  EventBackend with(Transactions other) {
    return new EventBackend(dataSource, other, store, stats, depths, codec, shards, networkTimeout);
  }

  /**
   * The same, with connections that do not wait for the server without a limit: packets may be
   * dropped silently, and then a driver waits for hours.
   */
  EventBackend within(Duration networkTimeout) {
    return new EventBackend(
        dataSource, transactions, store, stats, depths, codec, shards, networkTimeout);
  }

  /** Notifies all workers of a change, if the database has notifications. */
  void notifyAllWorkers() {
    if (store().signals().exist()) {
      step(
          () -> "notifying other instances",
          connection -> {
            store().signals().send(connection, EventNotifier.CHANGED);
            return true;
          });
    }
  }

  /** The payload as the event keeps it. */
  <P> StoredPayload encode(EventType<P> type, P payload) {
    if (payload instanceof byte[] bytes) {
      return new StoredPayload(null, bytes.clone());
    }
    String text = payload instanceof String given ? given : encodeText(type, payload);
    // PostgreSQL cannot store it
    Require.that(
        text.indexOf('\0') < 0,
        () -> "the text of a payload must not contain the character 0, of '" + type.name() + "'");
    return new StoredPayload(text, null);
  }

  private <P> String encodeText(EventType<P> type, P payload) {
    try {
      return type.codec().orElse(codec).write(payload);
    } catch (RuntimeException | LinkageError e) {
      throw new InvalidArgumentException(
          "the payload of '"
              + type.name()
              + "' cannot be written"
              + (type.codec().isEmpty() ? " as JSON: " : " by its codec: ")
              + Excerpt.of(FailureText.of(e), MAX_REASON_LENGTH),
          e);
    }
  }

  /** The payload of an event of this type. */
  <P> P decode(EventType<P> type, StoredPayload stored) {
    Class<P> wanted = type.payloadType();
    if (wanted == byte[].class) {
      return wanted.cast(Require.notNull(stored.bytes(), "the bytes of '" + type.name() + "'"));
    }
    String text = Require.notNull(stored.text(), "the text of '" + type.name() + "'");
    return wanted == String.class
        ? wanted.cast(text)
        : Require.notNull(
            type.codec().orElse(codec).read(text, wanted), "the payload of '" + type.name() + "'");
  }

  /** Rejects a payload of another type than that of the event. */
  static void requireTypeOf(EventType<?> type, EventRecord event) {
    Require.that(
        type.name().equals(event.type()),
        () ->
            "the type of a payload must be that of the event, '"
                + event.type()
                + "', was '"
                + type.name()
                + "' (event "
                + event.id()
                + ")");
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
