package dev.holdfast.testing.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventPage;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Queues;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import dev.holdfast.transaction.Transaction;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide to events that need a worker, run. */
class EventsGuideIT {
  record Birthday(long userId, String name) {}

  record Invoice(long id) {}

  static final EventType<Birthday> BIRTHDAY = EventType.of("birthday", Birthday.class);
  static final EventType<Invoice> INVOICE = EventType.of("invoice", Invoice.class);

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();
  private final Mailer mailer = new Mailer();
  private final Ledger ledger = new Ledger();

  record Export(int row) {}

  static final EventType<Export> EXPORT = EventType.of("export", Export.class);

  private final Warehouse warehouse = new Warehouse();

  record Payment(long order) {}

  enum Charge {
    PAID,
    BUSY,
    DECLINED
  }

  static final EventType<Payment> PAYMENT = EventType.of("payment", Payment.class);

  private static final class Gateway {
    private final Deque<Charge> answers = new ConcurrentLinkedDeque<>();

    Charge charge(Payment payment, EventId once) {
      assertThat(once).isNotNull();
      return payment.order() == 13 ? Charge.DECLINED : answers.remove();
    }
  }

  private static final class UserGoneException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private static final class Warehouse {
    final CountDownLatch loaded = new CountDownLatch(5);

    void load(List<EventHandler.Item<Export>> items) {
      items.forEach(item -> loaded.countDown());
    }
  }

  static class Mailer {
    final CountDownLatch sent = new CountDownLatch(1);

    void send(Birthday birthday) {
      assertThat(birthday.name()).isEqualTo("Ana");
      sent.countDown();
    }
  }

  private static final class Ledger {
    final CountDownLatch posted = new CountDownLatch(1);

    void post(Transaction tx, Invoice invoice) throws SQLException {
      try (PreparedStatement insert =
          tx.connection().prepareStatement("insert into ledger (id) values (?)")) {
        insert.setLong(1, invoice.id());
        insert.executeUpdate();
      }
      posted.countDown();
    }
  }

  @AfterEach
  void dropSchema() {
    schema.close();
  }

  @Test
  void scheduleAndHandle() throws Exception {
    schema.execute("create table ledger (id bigint primary key)");
    Holdfast holdfast = Holdfast.create(schema.dataSource(8));
    holdfast.migrations().migrate();
    Instant nineOClock = Instant.now();
    holdfast
        .transactions()
        .run(
            tx -> {
              holdfast.events().schedule(BIRTHDAY.event(new Birthday(42, "Ana")).at(nineOClock));
              holdfast.events().schedule(tx, INVOICE.event(new Invoice(7)));
            });

    Worker worker =
        holdfast
            .worker()
            .handle(BIRTHDAY, (birthday, context) -> mailer.send(birthday))
            .handle(
                EventHandler.transactional(
                    INVOICE, (invoice, tx, context) -> ledger.post(tx, invoice)))
            .start();

    assertThat(mailer.sent.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(ledger.posted.await(60, TimeUnit.SECONDS)).isTrue();
    worker.close();
    assertThat(schema.count("select count(*) from ledger")).isEqualTo(1);
    assertThat(schema.count("select count(*) from holdfast_event_history where status = 2"))
        .isEqualTo(2);
  }

  @Test
  void retriesAndOutcomes() {
    Holdfast holdfast = Holdfast.create(schema.dataSource(24));
    holdfast.migrations().migrate();
    Gateway gateway = new Gateway();
    gateway.answers.addAll(List.of(Charge.PAID, Charge.BUSY));
    Mailer mailer =
        new Mailer() {
          @Override
          void send(Birthday birthday) {
            throw new UserGoneException();
          }
        };
    EventId goneUser = holdfast.events().schedule(BIRTHDAY.event(new Birthday(42, "Ana"))).id();
    EventId declined = holdfast.events().schedule(PAYMENT.event(new Payment(13))).id();
    holdfast.events().schedule(PAYMENT.event(new Payment(1)));
    holdfast.events().schedule(PAYMENT.event(new Payment(2)));

    Worker worker =
        holdfast
            .worker()
            .handle(
                EventHandler.of(BIRTHDAY, (birthday, context) -> mailer.send(birthday))
                    .timeout(Duration.ofSeconds(30))
                    .retry(
                        RetryPolicy.standard()
                            .attempts(5)
                            .backoff(Duration.ofSeconds(10), Duration.ofHours(1)))
                    .onFailure(UserGoneException.class, gone -> Outcome.cancel("the user is gone")))
            .handle(
                EventHandler.returning(
                    PAYMENT,
                    (payment, context) ->
                        switch (gateway.charge(payment, context.id())) {
                          case PAID -> Outcome.complete();
                          case BUSY -> Outcome.snooze(Duration.ofMinutes(1));
                          case DECLINED -> Outcome.fail("the card was declined");
                        }))
            .start();

    try (worker) {
      await(
          () ->
              schema.count("select count(*) from holdfast_event_history") == 3
                  && gateway.answers.isEmpty());
    }
    assertThat(holdfast.events().find(goneUser).orElseThrow().error())
        .isEqualTo("the user is gone");
    assertThat(holdfast.events().find(declined).orElseThrow().status())
        .isEqualTo(EventStatus.FAILED);
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("must happen within a minute").isLessThan(end);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3));
    }
  }

  @Test
  void endedEvents() throws Exception {
    Holdfast holdfast = Holdfast.create(schema.dataSource(8));
    holdfast.migrations().migrate();
    EventId id = holdfast.events().schedule(BIRTHDAY.event(new Birthday(42, ""))).id();
    EventId other = holdfast.events().schedule(BIRTHDAY.event(new Birthday(43, "Eva"))).id();
    try (Worker failing =
        holdfast
            .worker()
            .handle(
                EventHandler.returning(
                    BIRTHDAY, (birthday, context) -> Outcome.fail("Timeout of the name")))
            .start()) {
      assertThat(failing).isNotNull();
      await(() -> holdfast.events().countReplayable(EventFilter.all()) == 2);
    }

    EventFilter failed = EventFilter.all().status(EventStatus.FAILED).errorContains("timeout");
    EventPage newest = holdfast.events().find(failed);
    EventReplayResult repaired = holdfast.events().replay(id, BIRTHDAY, new Birthday(42, "Ana"));
    long others = holdfast.events().countReplayable(failed);
    long replayed = holdfast.events().replayAll(failed);

    assertThat(newest.events()).extracting(EventRecord::id).containsExactly(other, id);
    assertThat(others).isEqualTo(1);
    assertThat(replayed).isEqualTo(1);
    EventId again = ((EventReplayResult.Replayed) repaired).id();
    assertThat(holdfast.events().find(again).orElseThrow().replayOf()).isEqualTo(id);
    assertThat(holdfast.events().find(id).orElseThrow().replayedAs()).isEqualTo(again);
    schema.execute("delete from holdfast_event where id > " + again.id());

    Worker worker =
        holdfast
            .worker()
            .retention(Duration.ofDays(30))
            .handle(BIRTHDAY, (birthday, context) -> mailer.send(birthday))
            .start();

    assertThat(mailer.sent.await(60, TimeUnit.SECONDS)).isTrue();
    worker.close();
  }

  @Test
  void handleManyAtOnceWithinLimits() throws Exception {
    Holdfast holdfast = Holdfast.create(schema.dataSource(8));
    holdfast.migrations().migrate();
    for (int row = 0; row < 5; row++) {
      holdfast.events().schedule(EXPORT.event(new Export(row)).queue("export"));
    }

    Queues queues = holdfast.queues();
    queues.setLimit(
        QueueLimit.queue("mail").maxConcurrency(10).rateLimit(100, Duration.ofMinutes(1)));
    queues.setLimit(QueueLimit.type(EXPORT).maxConcurrency(3));
    queues.setLimit(QueueLimit.perKey("mail").maxConcurrency(1));

    Worker exporter =
        holdfast
            .worker()
            .queue("export", 2)
            .handle(EventHandler.batch(EXPORT, 100, items -> warehouse.load(items)))
            .start();

    assertThat(warehouse.loaded.await(60, TimeUnit.SECONDS)).isTrue();
    exporter.close();
    holdfast.queues().removeLimit(QueueLimit.Target.queue("mail"));
    assertThat(holdfast.queues().limits()).hasSize(2);
  }

  record Call(String address) {}

  static final EventType<Call> CALL = EventType.of("call", Call.class);

  private static final class Partner {
    private final CountDownLatch called = new CountDownLatch(1);

    CompletionStage<Integer> post(Call call, EventId once) {
      assertThat(call.address()).isEqualTo("somewhere");
      assertThat(once).isNotNull();
      called.countDown();
      return CompletableFuture.supplyAsync(() -> 200);
    }
  }

  private final Partner partner = new Partner();

  @Test
  void waitForOthersWithoutAThread() throws Exception {
    Holdfast holdfast = Holdfast.create(schema.dataSource(8));
    holdfast.migrations().migrate();
    holdfast.events().schedule(CALL.event(new Call("somewhere")).queue("calls"));

    Worker caller =
        holdfast
            .worker()
            .queue("calls", 2000)
            .handle(
                EventHandler.async(
                    CALL,
                    (call, context) ->
                        partner
                            .post(call, context.id())
                            .thenApply(
                                status ->
                                    status == 200
                                        ? Outcome.complete()
                                        : Outcome.retryAfter(
                                            Duration.ofMinutes(1), "was " + status))))
            .start();

    assertThat(partner.called.await(60, TimeUnit.SECONDS)).isTrue();
    caller.close();
  }

  /** Stands for code of a user. */
  private static final class Orders {
    void markPaid(Transaction tx, int order) {
      assertThat(tx.connection()).isNotNull();
      assertThat(order).isPositive();
    }
  }

  @Test
  void cancelsEventInTransactionOfCaller() {
    Holdfast holdfast = Holdfast.create(schema.dataSource());
    holdfast.migrations().migrate();
    Orders orders = new Orders();
    int order = 7;
    EventId id =
        holdfast
            .events()
            .schedule(
                BIRTHDAY
                    .event(new Birthday(42, "Ana"))
                    .key("reminder-" + order)
                    .delay(Duration.ofDays(1)))
            .id();

    holdfast
        .transactions()
        .run(
            tx -> {
              orders.markPaid(tx, order);
              holdfast.events().cancelByKey("reminder-" + order, "paid");
            });

    assertThat(holdfast.events().find(id).orElseThrow().status()).isEqualTo(EventStatus.CANCELLED);
  }
}
