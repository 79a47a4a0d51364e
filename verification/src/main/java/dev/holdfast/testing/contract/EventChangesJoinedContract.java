package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.HoldfastException;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventChangeResult;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventReplayResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.testing.InterceptingDataSource;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Events are changed in the caller's transaction, and by key. */
public abstract class EventChangesJoinedContract extends EventContract {
  private static final Instant LATER = Instant.parse("2040-01-01T00:00:00Z");
  private static final Instant MUCH_LATER = Instant.parse("2050-01-01T00:00:00Z");

  protected EventChangesJoinedContract(TestDatabase database) {
    super(database);
  }

  private interface Change {
    Object in(Transaction tx, EventRecord event);
  }

  private static final class ChangedItsMind extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private EventId pending(String key) {
    return schedule(TEXT.event("a").key(key).at(LATER));
  }

  /** The change is undone by a rollback, and there after a commit. */
  private void isPartOfTheTransaction(EventId id, Change change, Predicate<EventRecord> isChanged) {
    EventRecord before = found(id);
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      change.in(tx, before);
                      throw new ChangedItsMind();
                    }))
        .isInstanceOf(ChangedItsMind.class);
    assertThat(found(id)).isEqualTo(before).matches(isChanged.negate());
    assertThat(transactions.<Object, RuntimeException>call(tx -> change.in(tx, before)))
        .isInstanceOfAny(EventChangeResult.Applied.class, EventReplayResult.Replayed.class);
    assertThat(found(id)).matches(isChanged);
  }

  @Test
  void anEventIsCancelled() {
    isPartOfTheTransaction(
        pending("k"),
        (tx, event) -> events.cancel(tx, event.id(), event.version(), "paid"),
        event -> event.status() == EventStatus.CANCELLED);
  }

  @Test
  void anEventIsRescheduled() {
    isPartOfTheTransaction(
        pending("k"),
        (tx, event) -> events.reschedule(tx, event.id(), event.version(), MUCH_LATER),
        event -> event.dueAt().equals(MUCH_LATER));
  }

  @Test
  void anEventIsChanged() {
    isPartOfTheTransaction(
        pending("k"),
        (tx, event) ->
            events.change(tx, event.id(), event.version(), EventChange.create().priority(9)),
        event -> event.priority() == 9);
  }

  @Test
  void aPayloadIsChanged() {
    isPartOfTheTransaction(
        pending("k"),
        (tx, event) -> events.changePayload(tx, event.id(), event.version(), TEXT, "b"),
        event -> "b".equals(event.payload()));
  }

  @Test
  void aRunningEventIsAskedToStop() {
    EventId id = schedule(TEXT.event("a"));
    holdfast
        .worker()
        .handle(
            TEXT,
            (payload, context) ->
                isPartOfTheTransaction(
                    id,
                    (tx, event) -> events.requestCancellation(tx, event.id(), event.version()),
                    EventRecord::cancelRequested))
        .buildManual()
        .handleNext();
    assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED);
  }

  @Test
  void anEndedEventIsReplayed() {
    EventId id = pending("k");
    events.cancel(id, 1, "not needed");
    isPartOfTheTransaction(
        id, (tx, event) -> events.replay(tx, event.id()), event -> event.replayedAs() != null);
    assertThat(transactions.<EventReplayResult, RuntimeException>call(tx -> events.replay(tx, id)))
        .isInstanceOf(EventReplayResult.AlreadyReplayed.class);
  }

  @Test
  void replayOutsideSnapshotRunsOnce() {
    EventId id = pending("k");
    events.cancel(id, 1, "not needed");
    assertThatThrownBy(
            () ->
                transactions
                    .isolation(Isolation.REPEATABLE_READ)
                    .run(
                        tx -> {
                          assertThat(events.find(tx, id)).isPresent();
                          transactions
                              .requiresNew()
                              .run(
                                  other ->
                                      assertThat(events.replay(other, id))
                                          .isInstanceOf(EventReplayResult.Replayed.class));
                          EventReplayResult again = events.replay(tx, id);
                          throw new AssertionError("must fail, was " + again);
                        }))
        .isInstanceOfSatisfying(
            HoldfastException.class, failure -> assertThat(failure.isRetryable()).isTrue());
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(1);
  }

  @Test
  void anEventIsCancelledByKey() {
    isPartOfTheTransaction(
        pending("k"),
        (tx, event) -> events.cancelByKey(tx, "k", "paid"),
        event -> event.status() == EventStatus.CANCELLED);
    assertThat(events.cancelByKey("k", "paid")).isInstanceOf(EventChangeResult.NotPending.class);
    assertThat(events.cancelByKey("none", "paid")).isInstanceOf(EventChangeResult.NotFound.class);
    EventId other = pending("other");
    assertThat(events.cancelByKey("other", "paid")).isInstanceOf(EventChangeResult.Applied.class);
    assertThat(found(other).error()).isEqualTo("paid");
  }

  @Test
  void anEventIsRescheduledByKey() {
    EventId id = pending("k");
    isPartOfTheTransaction(
        id,
        (tx, event) -> events.rescheduleByKey(tx, "k", MUCH_LATER),
        event -> event.dueAt().equals(MUCH_LATER));
    assertThat(events.rescheduleByKey("k", LATER)).isEqualTo(new EventChangeResult.Applied(3));
    assertThat(found(id).dueAt()).isEqualTo(LATER);
    assertThat(events.rescheduleByKey("none", LATER))
        .isInstanceOf(EventChangeResult.NotFound.class);
  }

  @Test
  void anEventIsChangedByKey() {
    EventId id = pending("k");
    isPartOfTheTransaction(
        id,
        (tx, event) -> events.changeByKey(tx, "k", EventChange.create().priority(9)),
        event -> event.priority() == 9);
    assertThat(events.changeByKey("k", EventChange.create().priority(1)))
        .isEqualTo(new EventChangeResult.Applied(3));
  }

  @Test
  void anEndedEventIsReplayedByKey() {
    EventId id = pending("k");
    assertThat(events.replayByKey("k")).isInstanceOf(EventReplayResult.NotEnded.class);
    events.cancelByKey("k", "not needed");
    isPartOfTheTransaction(
        id, (tx, event) -> events.replayByKey(tx, "k"), event -> event.replayedAs() != null);
    EventId again = Objects.requireNonNull(found(id).replayedAs());
    assertThat(events.replayByKey("k")).isEqualTo(new EventReplayResult.AlreadyReplayed(again));
    assertThat(events.replayByKey("none")).isInstanceOf(EventReplayResult.NotFound.class);
    assertThat(
            transactions.<EventReplayResult, RuntimeException>call(
                tx -> events.replayByKey(tx, "none")))
        .isInstanceOf(EventReplayResult.NotFound.class);

    pending("other");
    events.cancelByKey("other", "not needed");
    assertThat(events.replayByKey("other")).isInstanceOf(EventReplayResult.Replayed.class);
  }

  @Test
  void aRunningEventIsAskedToStopByKey() {
    EventId id = schedule(TEXT.event("a").key("k"));
    assertThat(events.requestCancellationByKey("k"))
        .isInstanceOf(EventChangeResult.NotPending.class);
    holdfast
        .worker()
        .handle(
            TEXT,
            (payload, context) -> {
              isPartOfTheTransaction(
                  id,
                  (tx, event) -> events.requestCancellationByKey(tx, "k"),
                  EventRecord::cancelRequested);
              assertThat(events.requestCancellationByKey("k"))
                  .isInstanceOf(EventChangeResult.Applied.class);
            })
        .buildManual()
        .handleNext();
    assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(events.requestCancellationByKey("k"))
        .isInstanceOf(EventChangeResult.NotPending.class);
    assertThat(events.requestCancellationByKey("none"))
        .isInstanceOf(EventChangeResult.NotFound.class);
  }

  /** Whoever names the key means the event as it is, also where others change it meanwhile. */
  @Test
  void concurrentChangesByKeyApplyInOrder() {
    EventId id = pending("k");
    AtomicInteger changes = new AtomicInteger();
    Holdfast watched =
        Holdfast.create(
            InterceptingDataSource.of(
                schema.dataSource(),
                (connection, sql) -> {
                  if (sql.contains("UPDATE holdfast_event") && changes.incrementAndGet() == 1) {
                    events.changePriority(id, 1, 2);
                  }
                }));
    assertThat(watched.events().changeByKey("k", EventChange.create().at(MUCH_LATER)))
        .isEqualTo(new EventChangeResult.Applied(3));
    assertThat(changes.get()).isGreaterThan(1);
    assertThat(found(id).priority()).isEqualTo(2);
    assertThat(found(id).dueAt()).isEqualTo(MUCH_LATER);
  }

  @Test
  void aConnectionInAutocommitModeIsRefused() throws Exception {
    EventId id = pending("k");
    try (Connection connection = schema.dataSource().getConnection()) {
      assertThatThrownBy(() -> events.cancel(Transaction.of(connection), id, 1, "paid"))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> events.cancelByKey(Transaction.of(connection), "k", "paid"))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> events.requestCancellationByKey(Transaction.of(connection), "k"))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> events.replayByKey(Transaction.of(connection), "k"))
          .isInstanceOf(InvalidArgumentException.class);
      assertThatThrownBy(() -> events.replay(Transaction.of(connection), id))
          .isInstanceOf(InvalidArgumentException.class);
    }
    assertThat(found(id).version()).isEqualTo(1);
  }

  @Test
  void findsByKeyInTransaction() {
    transactions.run(
        tx -> {
          EventId id = events.schedule(tx, TEXT.event("a").key("k").at(LATER)).id();
          assertThat(events.findByKey(tx, "k")).get().extracting(EventRecord::id).isEqualTo(id);
          assertThat(events.findByKey("other")).isEmpty();
        });
  }
}
