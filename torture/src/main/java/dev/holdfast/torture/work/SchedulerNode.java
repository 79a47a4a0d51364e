package dev.holdfast.torture.work;

import dev.holdfast.HoldfastException;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventType;
import dev.holdfast.torture.check.Keys;
import dev.holdfast.torture.history.History;
import dev.holdfast.torture.history.Kind;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Schedules events of all kinds: without a key, with one that is repeated until it is acknowledged,
 * of ordering keys, and in a transaction with a business row that is rolled back now and then.
 */
final class SchedulerNode {
  private static final int ORDERING_KEYS = 4;
  private static final int ONE_IN = 20;
  private static final long PAUSE_MILLIS = 60;
  private static final String BUSINESS = "INSERT INTO torture_business (event_key) VALUES (?)";
  private static final List<EventType<String>> TYPES =
      List.of(Types.PLAIN, Types.IMMEDIATE, Types.TX, Types.LIMITED_TYPE);

  private final Context context;
  private final History history;
  private final AtomicLong numbers = new AtomicLong();

  SchedulerNode(Context context) {
    this.context = context;
    this.history = context.history();
  }

  void start() {
    context.pace().loop("unkeyed", PAUSE_MILLIS, this::unkeyed);
    context.pace().loop("keyed", PAUSE_MILLIS, this::keyed);
    context.pace().loop("business", PAUSE_MILLIS, this::business);
    for (int key = 0; key < ORDERING_KEYS; key++) {
      Ordered ordered = new Ordered("ordered-" + context.process() + "-" + key);
      context.pace().loop(ordered.orderingKey, PAUSE_MILLIS * 2, ordered::next);
    }
    new OnceLoad(context).start(300);
  }

  private EventType<String> anyType() {
    return TYPES.get(ThreadLocalRandom.current().nextInt(TYPES.size()));
  }

  private String newKey(String prefix) {
    return prefix + context.process() + "-" + numbers.incrementAndGet();
  }

  private void unkeyed() {
    EventType<String> type = anyType();
    String key = newKey("unkeyed-");
    history.add(Kind.SCHEDULE_INTENT, key, type.name());
    try {
      context.holdfast().events().schedule(type.event(key).queue(type.name()));
      history.add(Kind.SCHEDULE_OK, key);
    } catch (HoldfastException e) {
      failed(key, e);
    }
  }

  private void failed(String key, HoldfastException failure) {
    // a failure of another kind than this one rules out that it was committed
    boolean certain =
        failure instanceof DatabaseException && !(failure instanceof CommitUnknownException);
    history.add(
        certain ? Kind.SCHEDULE_ROLLED_BACK : Kind.SCHEDULE_UNKNOWN, key, failure.toString());
  }

  private void keyed() throws InterruptedException {
    EventType<String> type = anyType();
    String key = newKey("keyed-");
    untilAcknowledged(key, type.event(key).queue(type.name()).key(key));
  }

  /** With a key it can be repeated until it is known. */
  private void untilAcknowledged(String key, Event<String> event) throws InterruptedException {
    while (true) {
      history.add(Kind.SCHEDULE_INTENT, key, event.type().name());
      try {
        context.holdfast().events().schedule(event);
        history.add(Kind.SCHEDULE_OK, key);
        return;
      } catch (HoldfastException e) {
        history.add(Kind.SCHEDULE_UNKNOWN, key, e);
        Thread.sleep(200);
      }
    }
  }

  /** Events of one ordering key: each is acknowledged before the next is scheduled. */
  private final class Ordered {
    private final String orderingKey;
    private long number;

    Ordered(String orderingKey) {
      this.orderingKey = orderingKey;
    }

    void next() throws InterruptedException {
      String key = orderingKey + "-" + ++number;
      untilAcknowledged(
          key, Types.ORDERED.event(key).queue("ordered").orderingKey(orderingKey).key(key));
    }
  }

  private void business() {
    EventType<String> type = anyType();
    String key = newKey(Keys.BUSINESS);
    boolean rollBack = ThreadLocalRandom.current().nextInt(ONE_IN) == 0;
    boolean committing = false;
    history.add(Kind.SCHEDULE_INTENT, key, type.name());
    try (Connection connection = context.own().getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert = connection.prepareStatement(BUSINESS)) {
        insert.setString(1, key);
        insert.executeUpdate();
      }
      context
          .holdfast()
          .events()
          .schedule(Transaction.of(connection), type.event(key).queue(type.name()));
      if (rollBack) {
        connection.rollback();
        history.add(Kind.SCHEDULE_ROLLED_BACK, key, "on purpose");
        return;
      }
      committing = true;
      connection.commit();
      history.add(Kind.SCHEDULE_OK, key);
    } catch (SQLException | HoldfastException e) {
      history.add(committing ? Kind.SCHEDULE_UNKNOWN : Kind.SCHEDULE_ROLLED_BACK, key, e);
    }
  }
}
