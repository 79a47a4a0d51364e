package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventFilter;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Events;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.schedule.Recurrence;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schedule.ScheduleChangeResult;
import dev.holdfast.schedule.Schedules;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.TransactionRolledBackException;
import dev.holdfast.transaction.TransactionStateException;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which transaction a call runs in that is given none. */
public abstract class CurrentTransactionContract extends EventContract {
  private static final Instant LATER = Instant.parse("2120-01-01T00:00:00Z");
  private static final Duration LONG = Duration.ofMinutes(1);

  private Transactions current;
  private Schedules schedules;

  /** A Holdfast that knows of the transactions of a framework. */
  private Framework framework;

  private Holdfast joining;

  @SuppressWarnings("NullAway.Init")
  protected CurrentTransactionContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void open() {
    current = holdfast.transactions();
    schedules = holdfast.schedules();
    framework = new Framework(schema.dataSource());
    joining = Holdfast.builder(schema.dataSource()).transactionContext(framework).build();
  }

  /** Ends a transaction that is not meant to commit. */
  private static final class Undo extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private void rollBack(Runnable work) {
    assertThatThrownBy(
            () ->
                current.run(
                    tx -> {
                      work.run();
                      throw new Undo();
                    }))
        .isInstanceOf(Undo.class);
  }

  private long stored(String text) {
    return events.find(EventFilter.all()).events().stream()
        .filter(event -> text.equals(event.payload()))
        .count();
  }

  private static void assertState(TransactionStateException.Reason reason, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            TransactionStateException.class,
            refused -> assertThat(refused.reason()).isEqualTo(reason));
  }

  private static void assertActive(ThrowingCallable call) {
    assertState(TransactionStateException.Reason.ACTIVE, call);
  }

  // holdfast.transactions()

  @Test
  void eventFollowsHoldfastTransaction() {
    rollBack(() -> events.schedule(TEXT.event("a")));
    current.run(
        tx -> {
          EventId id = events.schedule(TEXT.event("b")).id();
          assertThat(events.find(tx, id)).as("in the same transaction").isPresent();
        });

    assertThat(stored("a")).isZero();
    assertThat(stored("b")).isOne();
  }

  @Test
  void everyCallOfEventsJoins() {
    EventId pending = schedule(TEXT.event("p").key("pending").at(LATER));
    EventId ended = schedule(TEXT.event("e").key("ended").at(LATER));
    assertThat(events.cancel(ended, 1, "to replay it"))
        .isInstanceOf(EventChangeResult.Applied.class);

    rollBack(
        () -> {
          EventId fresh = events.schedule(TEXT.event("a").key("fresh").at(LATER)).id();
          events.scheduleAll(List.of(TEXT.event("a").at(LATER), TEXT.event("a").at(LATER)));
          assertThat(events.find(fresh)).isPresent();
          assertThat(events.findByKey("fresh")).isPresent();
          assertThat(events.findAll(List.of(fresh, pending))).hasSize(2);
          assertThat(stored("a")).as("what a search sees").isEqualTo(3);
          assertApplied(events.reschedule(fresh, 1, LATER.plusSeconds(1)));
          assertApplied(events.rescheduleByKey("fresh", LATER.plusSeconds(2)));
          assertApplied(events.change(fresh, 3, EventChange.create().priority(3)));
          assertApplied(events.changeByKey("fresh", EventChange.create().priority(4)));
          assertApplied(events.changePriority(fresh, 5, 5));
          assertApplied(events.changePayload(fresh, 6, TEXT, "b"));
          assertApplied(events.cancelByKey("pending", "paid"));
          assertThat(events.replayByKey("ended")).isInstanceOf(EventReplayResult.Replayed.class);
          assertThat(events.replay(ended)).isInstanceOf(EventReplayResult.AlreadyReplayed.class);
          queues.pause("mail");
          queues.setLimit(QueueLimit.queue("mail").maxConcurrency(1));
          assertThat(queues.paused()).containsExactly("mail");
          assertThat(queues.limits()).hasSize(1);
        });

    assertThat(events.find(EventFilter.all()).events()).hasSize(2);
    assertThat(events.find(pending).orElseThrow().status()).isEqualTo(EventStatus.PENDING);
    assertThat(events.find(ended).orElseThrow().replayedAs()).isNull();
    assertThat(queues.paused()).isEmpty();
    assertThat(queues.limits()).isEmpty();
  }

  private static void assertApplied(EventChangeResult result) {
    assertThat(result).isInstanceOf(EventChangeResult.Applied.class);
  }

  @Test
  void everyCallOfSchedulesJoins() {
    schedules.put(daily("kept"));

    rollBack(
        () -> {
          assertThat(schedules.declare(daily("declared")))
              .isInstanceOf(ScheduleChangeResult.Created.class);
          assertThat(schedules.put(daily("put"))).isInstanceOf(ScheduleChangeResult.Created.class);
          assertThat(schedules.find("put")).isPresent();
          assertThat(schedules.list("", 100)).hasSize(3);
          assertThat(schedules.pause("kept")).isInstanceOf(ScheduleChangeResult.Updated.class);
          assertThat(schedules.resume("kept")).isInstanceOf(ScheduleChangeResult.Updated.class);
          schedules.trigger("kept");
          assertThat(schedules.delete("kept")).isInstanceOf(ScheduleChangeResult.Deleted.class);
        });

    assertThat(schedules.list("", 100)).hasSize(1);
    assertThat(schedules.find("kept").orElseThrow().paused()).isFalse();
    assertThat(events.find(EventFilter.all()).events()).isEmpty();
  }

  private static Schedule daily(String name) {
    return Schedule.of(name, Recurrence.cron("@daily", ZoneOffset.UTC), TEXT.event("tick"));
  }

  /** A duplicate must not end the transaction of the one who comes second. */
  @Test
  void concurrentCreationFindsOtherSchedule() {
    int rounds = 10;
    for (int i = 0; i < rounds; i++) {
      Schedule both = daily("both" + i);
      List<String> results =
          ConcurrentActors.run(
                  2,
                  actor ->
                      current.<String, RuntimeException>call(
                          tx -> {
                            ScheduleChangeResult result = schedules.put(both);
                            events.schedule(TEXT.event("of one"));
                            return result.getClass().getSimpleName();
                          }))
              .resultsOrThrow();
      assertThat(results).containsExactlyInAnyOrder("Created", "Unchanged");
    }
    assertThat(stored("of one")).isEqualTo(2L * rounds);
  }

  @Test
  void anIdempotentRequestJoins() {
    rollBack(() -> once("a"));
    current.run(tx -> assertThat(once("a")).isInstanceOf(IdempotencyResult.Executed.class));
    current.run(tx -> assertThat(once("a")).isInstanceOf(IdempotencyResult.Replayed.class));
    assertThat(stored("a")).isOne();
  }

  private IdempotencyResult<String> once(String text) {
    return holdfast
        .idempotency()
        .execute(
            IdempotencyRequest.of(IdempotencyKey.of("order", text), ReplyCodecs.text()),
            tx -> {
              events.schedule(TEXT.event(text));
              return "done";
            });
  }

  @Test
  void aFenceJoinsAndNeedsATransaction() {
    current.run(tx -> holdfast.fence().check("file", 5));
    rollBack(() -> holdfast.fence().check("file", 9));
    current.run(tx -> holdfast.fence().check("file", 6));
    assertState(TransactionStateException.Reason.REQUIRED, () -> holdfast.fence().check("file", 7));
  }

  @Test
  void transactionalHandlerSchedulesAtomically() {
    AtomicReference<@Nullable EventId> first = new AtomicReference<>();
    ManualWorker worker =
        holdfast
            .worker()
            .handle(
                EventHandler.transactional(
                    TEXT,
                    (payload, tx, context) -> {
                      EventId id =
                          events.schedule(TEXT.event("of " + context.attempt()).at(LATER)).id();
                      if (first.compareAndSet(null, id)) {
                        throw new IllegalStateException("the first attempt fails");
                      }
                    }))
            .buildManual();
    EventId id = schedule(TEXT.event("a"));

    assertThat(worker.handleNext()).isPresent();
    assertThat(stored("of 1")).isZero();
    assertApplied(events.reschedule(id, events.find(id).orElseThrow().version(), Duration.ZERO));
    assertThat(worker.handleNext()).isPresent();
    assertThat(stored("of 2")).isOne();
  }

  @Test
  void transactionalStepSchedulesAtomically() {
    IdempotencyKey key = IdempotencyKey.of("pay", "a");
    assertThatThrownBy(
            () ->
                holdfast
                    .workflows()
                    .run(
                        IdempotencyRequest.of(key, ReplyCodecs.text()),
                        claim -> {
                          claim.transactionalStep(
                              "one",
                              ReplyCodecs.text(),
                              tx -> {
                                events.schedule(TEXT.event("one"));
                                return "done";
                              });
                          return claim.transactionalStep(
                              "two",
                              ReplyCodecs.text(),
                              tx -> {
                                events.schedule(TEXT.event("two"));
                                throw new Undo();
                              });
                        }))
        .isInstanceOf(Undo.class);

    assertThat(stored("one")).isOne();
    assertThat(stored("two")).isZero();
  }

  @Test
  void aNewTransactionIsIndependent() {
    rollBack(
        () -> {
          Transaction outer = current.current();
          current
              .requiresNew()
              .run(
                  tx -> {
                    assertThat(tx.connection()).isNotSameAs(outer.connection());
                    assertThat(current.current()).isSameAs(tx);
                    events.schedule(TEXT.event("kept"));
                  });
          assertThat(current.current()).isSameAs(outer);
          events.schedule(TEXT.event("gone"));
        });

    assertThat(stored("kept")).isOne();
    assertThat(stored("gone")).isZero();
  }

  @Test
  void anotherThreadHasNoCurrentTransaction() {
    rollBack(
        () ->
            CompletableFuture.runAsync(
                    () -> {
                      assertThat(current.isActive()).isFalse();
                      events.schedule(TEXT.event("a"));
                    })
                .orTimeout(60, TimeUnit.SECONDS)
                .join());

    assertThat(stored("a")).isOne();
  }

  @Test
  void aConnectionIsNotSeenUnlessItIsGiven() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      events.schedule(TEXT.event("alone"));
      events.schedule(Transaction.of(connection), TEXT.event("given"));
      current.run(Transaction.of(connection), tx -> events.schedule(TEXT.event("inside")));
      connection.rollback();
      connection.setAutoCommit(true);
    }

    assertThat(stored("alone")).isOne();
    assertThat(stored("given")).isZero();
    assertThat(stored("inside")).isZero();
  }

  @Test
  void commitsImmediatelyWithoutTransaction() {
    assertThat(current.isActive()).isFalse();
    assertState(TransactionStateException.Reason.REQUIRED, () -> current.current());
    events.schedule(TEXT.event("a"));
    assertThat(schema.count("select count(*) from holdfast_event")).isOne();
  }

  @Test
  void workInsideIsAPartOfTheOuterTransaction() {
    assertThatThrownBy(
            () ->
                current.run(
                    outer -> {
                      current.run(
                          inner -> {
                            assertThat(inner).isSameAs(outer).isSameAs(current.current());
                            events.schedule(TEXT.event("a"));
                          });
                      assertThat(current.isActive()).isTrue();
                      throw new Undo();
                    }))
        .isInstanceOf(Undo.class);

    assertThat(stored("a")).isZero();
    assertThat(current.isActive()).isFalse();
  }

  @Test
  void rejectsRetriesInsideTransaction() {
    current.run(
        tx -> {
          assertActive(() -> current.retrying(3).run(again -> {}));
          current.requiresNew().retrying(3).run(again -> events.schedule(TEXT.event("a")));
        });
    assertThat(stored("a")).isOne();
  }

  @Test
  void rejectsOtherIsolation() {
    current
        .isolation(Isolation.READ_COMMITTED)
        .run(
            tx -> {
              assertState(
                  TransactionStateException.Reason.ISOLATION,
                  () -> current.isolation(Isolation.SERIALIZABLE).run(inner -> {}));
              current.isolation(Isolation.READ_COMMITTED).run(inner -> {});
            });
  }

  @Test
  void readOnlyTransactionRejectsWrites() {
    EventId id = schedule(TEXT.event("a"));
    current
        .readOnly()
        .run(
            tx -> {
              assertThat(events.find(id)).isPresent();
              assertState(
                  TransactionStateException.Reason.READ_ONLY,
                  () -> events.schedule(TEXT.event("b")));
            });
    assertThat(stored("b")).isZero();
  }

  /** Its error is swallowed, and yet nothing commits. */
  @Test
  void aFailedStatementRollsTheTransactionBack() {
    Events broken = broken();

    assertThatThrownBy(
            () ->
                current.run(
                    tx -> {
                      events.schedule(TEXT.event("before"));
                      assertThatThrownBy(() -> broken.schedule(TEXT.event("a")))
                          .isInstanceOf(DatabaseException.class);
                    }))
        .isInstanceOf(TransactionRolledBackException.class);

    assertThat(stored("before")).isZero();
  }

  /** Those of a schema that does not exist: their statements fail. */
  private Events broken() {
    return Holdfast.builder(schema.dataSource()).schema("nowhere").build().events();
  }

  @Test
  void whatCannotJoinIsRefused() {
    current.run(
        tx -> {
          assertThatThrownBy(() -> holdfast.leases().tryAcquire(LeaseRequest.of("a", LONG)))
              .isInstanceOf(TransactionStateException.class);
          assertThatThrownBy(
                  () -> holdfast.jobs().job("a", LONG, Duration.ofSeconds(1)).run(run -> {}))
              .isInstanceOf(TransactionStateException.class);
          assertActive(
              () ->
                  holdfast
                      .workflows()
                      .run(
                          IdempotencyRequest.of(IdempotencyKey.of("pay", "a"), ReplyCodecs.text()),
                          claim -> "done"));
          assertActive(() -> events.replayAll(EventFilter.all()));
          assertActive(() -> events.scheduleAll(Stream.of(TEXT.event("a"))));
          assertActive(() -> schedules.fireDue());
          assertActive(
              () ->
                  StuckRows.table("holdfast_event")
                      .key("id")
                      .status("status", "X")
                      .recoverTo("Y")
                      .olderThan("due_at", LONG)
                      .sweep(current));
        });
    assertThat(events.find(EventFilter.all()).events()).isEmpty();
  }

  /** A worker stores what it has done, whatever becomes of the transaction it is called in. */
  @Test
  void workersNeverJoin() {
    EventId id = schedule(TEXT.event("a"));
    ManualWorker worker = holdfast.worker().handle(TEXT, (payload, context) -> {}).buildManual();

    rollBack(
        () -> {
          assertThat(worker.handleNext()).isPresent();
          assertThat(holdfast.stats().instances()).isNotEmpty();
          holdfast.stats().refreshQueueDepths();
        });

    assertThat(events.find(id).orElseThrow().status()).isEqualTo(EventStatus.COMPLETED);
  }

  // a framework

  @Test
  void eventFollowsFrameworkTransaction() throws Exception {
    List<Transaction> seen = new ArrayList<>();
    framework.rollBack(connection -> joining.events().schedule(TEXT.event("a")));
    framework.commit(
        connection -> {
          EventId id = joining.events().schedule(TEXT.event("b")).id();
          assertThat(events.find(Transaction.of(connection), id)).isPresent();
          seen.add(joining.transactions().current());
          joining.transactions().run(tx -> seen.add(tx));
          seen.add(joining.transactions().current());
          assertThat(framework.registrations()).isOne();
        });

    assertThat(stored("a")).isZero();
    assertThat(stored("b")).isOne();
    assertThat(seen).hasSize(3).allSatisfy(tx -> assertThat(tx).isSameAs(seen.get(0)));
    assertThat(framework.acquired()).isZero();
    assertThatThrownBy(() -> events.schedule(seen.get(0), TEXT.event("late")))
        .hasMessageContaining("has ended");
    assertThat(joining.transactions().isActive()).isFalse();
  }

  @Test
  void joinsInnerFrameworkTransaction() throws Exception {
    framework.commit(
        outer -> {
          joining.events().schedule(TEXT.event("outer"));
          joining
              .transactions()
              .run(
                  tx ->
                      framework.rollBack(inner -> joining.events().schedule(TEXT.event("inner"))));
          joining.events().schedule(TEXT.event("outer"));
        });

    assertThat(stored("outer")).isEqualTo(2);
    assertThat(stored("inner")).isZero();
  }

  @Test
  void joinsFrameworkTransaction() throws Exception {
    framework.rollBack(
        outer -> {
          joining
              .transactions()
              .requiresNew()
              .run(tx -> joining.events().schedule(TEXT.event("inner")));
          joining.events().schedule(TEXT.event("outer"));
        });

    assertThat(stored("inner")).isOne();
    assertThat(stored("outer")).isZero();
  }

  @Test
  void readOnlyFrameworkTransactionRejectsWrites() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    framework.readOnly(
        connection -> {
          assertThat(joining.events().find(id)).isPresent();
          assertState(
              TransactionStateException.Reason.READ_ONLY,
              () -> joining.events().schedule(TEXT.event("b")));
        });
    assertThat(stored("b")).isZero();
  }

  @Test
  void rejectsTransactionOfOtherDataSource() throws Exception {
    EventId id = schedule(TEXT.event("a"));
    Framework other = new Framework(schema.dataSource(1));
    Holdfast beside = Holdfast.builder(schema.dataSource()).transactionContext(other).build();
    other.commit(
        connection -> {
          assertThat(beside.events().find(id)).isPresent();
          assertState(
              TransactionStateException.Reason.MISMATCH,
              () -> beside.events().schedule(TEXT.event("b")));
          assertState(
              TransactionStateException.Reason.MISMATCH, () -> beside.transactions().run(tx -> {}));
          beside
              .transactions()
              .requiresNew()
              .run(tx -> beside.events().schedule(TEXT.event("anyway")));
        });

    assertThat(stored("b")).isZero();
    assertThat(stored("anyway")).isOne();
  }

  @Test
  void callbackAfterCommitOpensTransaction() throws Exception {
    framework.commit(
        connection -> joining.events().schedule(TEXT.event("before")),
        () -> {
          assertThat(joining.transactions().isActive()).isFalse();
          joining.events().schedule(TEXT.event("after"));
          assertThat(stored("after")).as("committed already").isOne();
        });
    assertThat(stored("before")).isOne();
  }

  @Test
  void swallowedErrorPreventsFrameworkCommit() {
    assertThatThrownBy(
            () ->
                framework.commit(
                    connection -> {
                      joining.events().schedule(TEXT.event("before"));
                      assertThatThrownBy(
                              () ->
                                  joining
                                      .transactions()
                                      .current()
                                      .callWithLockTimeout(
                                          LONG,
                                          tx -> {
                                            broken().schedule(tx, TEXT.event("a"));
                                            return true;
                                          }))
                          .isInstanceOf(DatabaseException.class);
                    }))
        .isInstanceOf(TransactionRolledBackException.class);

    assertThat(stored("before")).isZero();
  }

  @Test
  void rejectsLeasesInFrameworkTransaction() throws Exception {
    framework.commit(
        connection ->
            assertThatThrownBy(() -> joining.leases().tryAcquire(LeaseRequest.of("a", LONG)))
                .isInstanceOf(TransactionStateException.class));
    assertThat(joining.leases().tryAcquire(LeaseRequest.of("a", LONG))).isPresent();
  }

  @Test
  void otherThreadDoesNotJoin() throws Exception {
    CountDownLatch scheduled = new CountDownLatch(1);
    framework.rollBack(
        connection -> {
          joining.transactions().current();
          CompletableFuture.runAsync(
                  () -> {
                    events.schedule(TEXT.event("a"));
                    scheduled.countDown();
                  })
              .orTimeout(60, TimeUnit.SECONDS)
              .join();
        });
    assertThat(scheduled.getCount()).isZero();
    assertThat(stored("a")).isOne();
  }
}
