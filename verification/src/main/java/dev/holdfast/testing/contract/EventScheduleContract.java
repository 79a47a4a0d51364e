package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.Event;
import dev.holdfast.event.Event.OnDuplicate;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.SqlError;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How events are scheduled: with the caller's transaction, in order, and once for each key. */
public abstract class EventScheduleContract extends EventContract {
  protected EventScheduleContract(TestDatabase database) {
    super(database);
  }

  private static final class ChangedItsMind extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private Event<String> text(String payload) {
    return TEXT.event(payload);
  }

  @Test
  void createsEventAtCommitOfCaller() {
    EventId id =
        transactions.call(
            tx -> {
              EventId scheduled = events.schedule(tx, text("a")).id();
              transactions
                  .requiresNew()
                  .run(
                      other ->
                          assertThat(events.find(other, scheduled))
                              .as("before the commit")
                              .isEmpty());
              return scheduled;
            });
    EventRecord found = found(id);
    assertThat(found.status()).isEqualTo(EventStatus.PENDING);
    assertThat(found.payload()).isEqualTo("a");
    assertThat(found.version()).isEqualTo(1);
    assertThat(found.attempts()).isZero();
    assertThat(found.priority()).isEqualTo(5);
    assertThat(found.queue()).isEqualTo("default");
    assertThat(found.dueAt()).isEqualTo(found.createdAt());
  }

  @Test
  void eventRollsBackWithCaller() {
    List<EventId> ids = new ArrayList<>();
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      ids.add(events.schedule(tx, text("a")).id());
                      ids.add(events.schedule(tx, text("b").key("k")).id());
                      throw new ChangedItsMind();
                    }))
        .isInstanceOf(ChangedItsMind.class);
    assertThat(ids).hasSize(2).allSatisfy(id -> assertThat(events.find(id)).isEmpty());
    assertThat(events.findByKey("k")).isEmpty();
    assertThat(events.schedule(text("c").key("k")))
        .isInstanceOf(EventScheduleResult.Scheduled.class);
  }

  @Test
  void aConnectionInAutocommitModeIsRefused() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      assertThatThrownBy(() -> events.schedule(Transaction.of(connection), text("a")))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("autocommit");
    }
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
  }

  @Test
  void aTakenKeyKeepsItsEvent() {
    EventId first = schedule(text("a").key("k"));
    EventScheduleResult second = events.schedule(text("b").key("k").priority(9));
    assertThat(second).isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
    assertThat(second.id()).isEqualTo(first);
    assertThat(found(first).payload()).isEqualTo("a");
    assertThat(found(first).version()).isEqualTo(1);
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(1);
  }

  @Test
  void duplicateKeepsTransactionUsable() {
    schedule(text("a").key("k"));
    EventId other =
        transactions.call(
            tx -> {
              assertThat(events.schedule(tx, text("b").key("k")))
                  .isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
              EventScheduleResult own = events.schedule(tx, text("c").key("c"));
              assertThat(events.schedule(tx, text("d").key("c")))
                  .as("a key of the same transaction")
                  .isInstanceOf(EventScheduleResult.AlreadyScheduled.class)
                  .extracting(EventScheduleResult::id)
                  .isEqualTo(own.id());
              return own.id();
            });
    assertThat(found(other).payload()).isEqualTo("c");
  }

  @Test
  void aPendingEventIsReplaced() {
    Instant at = Instant.parse("2040-01-01T00:00:00.123456Z");
    String orderingKey = shards() == 1 ? "o" : "k";
    EventId first = schedule(text("a").key("k"));
    EventScheduleResult second =
        events.schedule(
            text("b")
                .key("k")
                .at(at)
                .priority(7)
                .queue("other")
                .tags("x")
                .orderingKey(orderingKey)
                .onDuplicate(OnDuplicate.REPLACE_PENDING));
    assertThat(second).isEqualTo(new EventScheduleResult.Replaced(first, 2));
    EventRecord now = found(first);
    assertThat(now.payload()).isEqualTo("b");
    assertThat(now.dueAt()).isEqualTo(at);
    assertThat(now.priority()).isEqualTo(7);
    assertThat(now.queue()).isEqualTo("other");
    assertThat(now.tags()).containsExactly("x");
    assertThat(now.orderingKey()).isEqualTo(orderingKey);
    assertThat(events.schedule(text("b").key("k").onDuplicate(OnDuplicate.REJECT_DIFFERENT)))
        .as("what it was replaced by is what it is compared with")
        .isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
  }

  @Test
  void shardsRequireMatchingOrderingKey() {
    assumeTrue(shards() > 1, "in one shard every key is unique");
    for (OnDuplicate mode : OnDuplicate.values()) {
      Event<String> other = text("a").key("k").orderingKey("o").onDuplicate(mode);
      assertThatThrownBy(() -> events.scheduleAll(List.of(text("b"), text("c").key("c"), other)))
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContainingAll("shards", "'k'", "'o'");
    }
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
    schedule(text("a").key("k").orderingKey("k"));
    assertThat(events.schedule(text("a").key("k")))
        .isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
  }

  @Test
  void templateWithOrderingKeyAllowsAnyKey() {
    var template = events.template(text("a").orderingKey("o"));
    EventId id = schedule(template.event().key("k"));
    assertThat(events.findByKey("k")).get().extracting(EventRecord::id).isEqualTo(id);
  }

  @Test
  void anEndedEventIsNotReplacedAndKeepsItsKey() {
    EventId first = schedule(text("a").key("k"));
    events.cancel(first, 1, "not needed");
    for (OnDuplicate mode : OnDuplicate.values()) {
      EventScheduleResult second = events.schedule(text("a").key("k").onDuplicate(mode));
      assertThat(second).as(mode.name()).isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
      assertThat(second.id()).isEqualTo(first);
    }
    assertThat(events.findByKey("k"))
        .get()
        .extracting(EventRecord::status)
        .isEqualTo(EventStatus.CANCELLED);
  }

  @Test
  void reportsOtherPayloadOfUsedKey() {
    EventId first = schedule(text("a").key("k"));
    Event<String> same = text("a").key("k").onDuplicate(OnDuplicate.REJECT_DIFFERENT);
    Event<String> other = text("b").key("k").onDuplicate(OnDuplicate.REJECT_DIFFERENT);
    assertThat(events.schedule(same)).isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
    assertThat(events.schedule(other)).isInstanceOf(EventScheduleResult.PayloadDiffers.class);
    assertThat(events.schedule(other).id()).isEqualTo(first);
    assertThat(found(first).payload()).isEqualTo("a");
  }

  @Test
  void whatMakesTwoTheSameCanBeSaid() {
    Event<String> first =
        text("a").key("k").fingerprint("f").onDuplicate(OnDuplicate.REJECT_DIFFERENT);
    schedule(first);
    assertThat(events.schedule(first)).isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
    assertThat(events.schedule(first.fingerprint("g")))
        .isInstanceOf(EventScheduleResult.PayloadDiffers.class);
    assertThat(events.schedule(text("a").key("k").onDuplicate(OnDuplicate.REJECT_DIFFERENT)))
        .isInstanceOf(EventScheduleResult.PayloadDiffers.class);
  }

  @Test
  void theSecondOfAKeyWaitsForTheFirstToCommit() throws Exception {
    Overlap.Answers<EventScheduleResult> answers = overlap().firstCommits();
    assertThat(answers.first()).isInstanceOf(EventScheduleResult.Scheduled.class);
    assertThat(answers.second()).isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
    assertThat(answers.second().id()).isEqualTo(answers.first().id());
  }

  @Test
  void schedulesSecondAfterRollbackOfFirst() throws Exception {
    Overlap.Answers<EventScheduleResult> answers = overlap().firstRollsBack();
    assertThat(answers.second()).isInstanceOf(EventScheduleResult.Scheduled.class);
    assertThat(events.findByKey("k"))
        .get()
        .extracting(EventRecord::id)
        .isEqualTo(answers.second().id());
  }

  private Overlap<EventScheduleResult> overlap() {
    return new Overlap<>(
        transactions,
        tx -> events.schedule(tx, text("a").key("k")),
        tx -> events.schedule(tx, text("b").key("k")));
  }

  @Test
  void schedulesKeyOnceConcurrently() {
    List<EventScheduleResult> results =
        ConcurrentActors.run(32, index -> events.schedule(text("" + index).key("k")))
            .resultsOrThrow();
    assertThat(results).filteredOn(EventScheduleResult.Scheduled.class::isInstance).hasSize(1);
    assertThat(results)
        .filteredOn(EventScheduleResult.AlreadyScheduled.class::isInstance)
        .hasSize(31);
    assertThat(results).extracting(EventScheduleResult::id).containsOnly(results.get(0).id());
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(1);
  }

  @Test
  void concurrentReplacementsCreateVersions() {
    List<EventScheduleResult> results =
        ConcurrentActors.run(
                16,
                index ->
                    events.schedule(
                        text("" + index).key("k").onDuplicate(OnDuplicate.REPLACE_PENDING)))
            .resultsOrThrow();
    assertThat(results).filteredOn(EventScheduleResult.Scheduled.class::isInstance).hasSize(1);
    assertThat(found(results.get(0).id()).version()).isEqualTo(16);
  }

  @Test
  void keyOutsideSnapshotIsScheduledOnce() {
    for (Isolation isolation : List.of(Isolation.READ_COMMITTED, Isolation.REPEATABLE_READ)) {
      String key = "k-" + isolation;
      try {
        EventScheduleResult result =
            transactions
                .isolation(isolation)
                .call(
                    tx -> {
                      Sql.ask(tx.connection(), "select count(*) from holdfast_event_key");
                      ConcurrentActors.run(1, index -> schedule(text("a").key(key)))
                          .resultsOrThrow();
                      return events.schedule(tx, text("b").key(key));
                    });
        assertThat(result).isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
      } catch (Exception e) {
        assertThat(isolation).isNotEqualTo(Isolation.READ_COMMITTED);
        assertThat(SqlError.isRetryable(e)).as("%s: %s", isolation, e).isTrue();
      }
      assertThat(events.findByKey(key)).isPresent();
    }
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(2);
  }

  @Test
  void theTablesMayBeInAnotherSchema() {
    String other = schema.name() + "_o";
    schema.execute("create schema " + other);
    try {
      Holdfast there = Holdfast.builder(schema.dataSource()).schema(other).build();
      there.migrations().migrate();
      EventId keyed = there.events().schedule(text("a").key("k").orderingKey("o")).id();
      EventId plain = there.events().schedule(text("b")).id();
      EventId cancelled =
          there.events().schedule(text("c").at(Instant.parse("2050-01-01T00:00:00Z"))).id();
      there.events().cancel(cancelled, 1, "not needed");
      Worker worker = start(there, builder -> builder.handle(TEXT, (payload, context) -> {}));
      for (EventId id : List.of(keyed, plain)) {
        await(
            () -> "the event " + id + " must be completed",
            () -> there.events().find(id).orElseThrow().status() == EventStatus.COMPLETED);
      }
      worker.stop(LIMIT);
      assertThat(schema.count("select count(*) from " + other + ".holdfast_event_history"))
          .isEqualTo(3);
      assertThat(schema.count("select count(*) from holdfast_event_key")).isZero();
    } finally {
      schema.execute(
          "drop schema " + other + (database().name().startsWith("M") ? "" : " cascade"));
    }
  }

  @Test
  void keysThatLookAlikeAreDifferent() {
    List<String> keys = List.of("a", "A", "á", "a b", "ａ", "ß", "ss");
    keys.forEach(key -> schedule(text(key).key(key)));
    for (String key : keys) {
      assertThat(events.findByKey(key)).get().extracting(EventRecord::payload).isEqualTo(key);
    }
  }

  @Test
  void manyAreAnsweredInTheirOrder() {
    schedule(text("first").key("taken"));
    List<Event<String>> many = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      many.add(i % 100 == 7 ? text("" + i).key("k" + i) : text("" + i));
    }
    many.add(text("second").key("taken"));
    List<EventScheduleResult> results = events.scheduleAll(many);
    assertThat(results).hasSize(701).extracting(EventScheduleResult::id).doesNotHaveDuplicates();
    assertThat(results.get(700)).isInstanceOf(EventScheduleResult.AlreadyScheduled.class);
    for (int i = 0; i < 700; i += 9) {
      assertThat(found(results.get(i).id()).payload()).isEqualTo("" + i);
    }
    assertThat(events.scheduleAll(List.of())).isEmpty();
  }

  @Test
  void idsAreRightWhileOthersSchedule() {
    List<List<EventScheduleResult>> all =
        ConcurrentActors.run(
                4,
                index ->
                    events.scheduleAll(
                        IntStream.range(0, 500).mapToObj(i -> text(index + "-" + i)).toList()))
            .resultsOrThrow();
    for (int index = 0; index < 4; index++) {
      for (int i = 0; i < 500; i += 17) {
        assertThat(found(all.get(index).get(i).id()).payload()).isEqualTo(index + "-" + i);
      }
    }
  }

  @Test
  void manyAreScheduledAllOrNone() {
    assertThatThrownBy(
            () ->
                transactions.run(
                    tx -> {
                      events.scheduleAll(
                          tx, IntStream.range(0, 300).mapToObj(i -> text("" + i)).toList());
                      throw new ChangedItsMind();
                    }))
        .isInstanceOf(ChangedItsMind.class);
    assertThat(schema.count("select count(*) from holdfast_event")).isZero();
  }

  @Test
  void aStreamSaysHowManyWereNew() {
    schedule(text("first").key("k11"));
    assertThat(
            events.scheduleAll(
                IntStream.range(0, 4500)
                    .mapToObj(i -> i % 1000 == 11 ? text("" + i).key("k" + i) : text("" + i))))
        .isEqualTo(4499);
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(4500);
  }

  @Test
  void keysInOppositeOrdersDoNotDeadlock() {
    for (int round = 0; round < 3; round++) {
      String prefix = "r" + round + "-";
      List<String> keys = IntStream.range(100, 140).mapToObj(i -> prefix + i).toList();
      List<String> backwards = new ArrayList<>(keys);
      Collections.reverse(backwards);
      List<List<String>> orders = List.of(keys, backwards);
      List<List<EventScheduleResult>> results =
          ConcurrentActors.run(
                  2,
                  index ->
                      transactions.call(
                          tx ->
                              events.scheduleAll(
                                  tx,
                                  orders.get(index).stream()
                                      .map(key -> text(key).key(key))
                                      .toList())))
              .resultsOrThrow();
      for (int index = 0; index < 2; index++) {
        for (int i = 0; i < keys.size(); i += 13) {
          assertThat(found(results.get(index).get(i).id()).payload())
              .isEqualTo(orders.get(index).get(i));
        }
      }
    }
    assertThat(schema.count("select count(*) from holdfast_event")).isEqualTo(120);
  }

  @Test
  void keysOfOneOrderingKeyRunInTheGivenOrder() {
    assumeThat(shards()).as("with shards, a key must be the ordering key").isEqualTo(1);
    events.scheduleAll(
        List.of(
            text("1").key("z").orderingKey("o"),
            text("2").orderingKey("o"),
            text("3").key("a").orderingKey("o"),
            text("4").orderingKey("o")));
    List<String> handled = new ArrayList<>();
    ManualWorker worker =
        holdfast.worker().handle(TEXT, (payload, context) -> handled.add(payload)).buildManual();
    while (worker.handleNext().isPresent()) {
      // until nothing is due
    }
    assertThat(handled).containsExactly("1", "2", "3", "4");
  }
}
