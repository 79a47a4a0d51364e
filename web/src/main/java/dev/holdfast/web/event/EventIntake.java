package dev.holdfast.web.event;

import dev.holdfast.Holdfast;
import dev.holdfast.event.Event;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.Events;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.web.api.ProblemType;
import dev.holdfast.web.event.GroupCommit.Result;
import dev.holdfast.webhook.WebhookCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Stores events: those of concurrent requests together, in one transaction. Thread-safe. */
final class EventIntake {
  private static final int MAX_WAITING = 2000;
  private static final int MAX_BATCH = 200;
  private static final Duration WAIT_TIMEOUT = Duration.ofSeconds(30);

  private final Holdfast holdfast;
  private final Events events;
  private final GroupCommit<Draft, Stored> group;

  EventIntake(Holdfast holdfast) {
    this.holdfast = holdfast;
    this.events = holdfast.events();
    this.group = new GroupCommit<>(MAX_WAITING, MAX_BATCH, WAIT_TIMEOUT, this::storeEach);
  }

  /**
   * A stored event.
   *
   * @param event the new event, or the existing one with its key
   */
  record Stored(EventRecord event, Kind kind) {
    enum Kind {
      NEW,
      /** The same request was stored before with this key. */
      SAME,
      /** The key belongs to a different request. */
      OTHER
    }
  }

  /** Stores one event, together with events of concurrent requests. */
  Stored store(Draft draft) {
    try {
      return group.call(draft);
    } catch (GroupCommit.NotStartedException e) {
      throw ProblemType.TOO_MANY_REQUESTS
          .with("the event was not stored: " + e.getMessage() + "; retry later")
          .header("Retry-After", "1")
          .toException();
    } catch (GroupCommit.UnknownResultException e) {
      throw ProblemType.UNAVAILABLE
          .with(
              "the database did not respond in time, so the event may or may not be stored; retry"
                  + " with the same key, or check whether the event exists")
          .header("Retry-After", "5")
          .toException();
    }
  }

  /** An event to store. Its keys determine the order of the inserts. */
  record Draft(Event<WebhookCall> event, @Nullable String key, @Nullable String orderingKey) {}

  /**
   * Stores each event independently, in one transaction if possible. An event that cannot be stored
   * does not affect the others, unless the database is unavailable.
   */
  List<Result<Stored>> storeEach(List<Draft> drafts) {
    try {
      return storeAll(drafts).stream().map(Result::of).toList();
    } catch (RuntimeException e) {
      return drafts.size() == 1 || affectsAll(e)
          ? drafts.stream().map(draft -> Result.<Stored>failed(e)).toList()
          : oneByOne(drafts);
    }
  }

  private List<Result<Stored>> oneByOne(List<Draft> drafts) {
    List<Result<Stored>> results = new ArrayList<>(drafts.size());
    RuntimeException broken = null;
    for (Draft draft : drafts) {
      Result<Stored> result =
          broken == null ? storeEach(List.of(draft)).get(0) : Result.failed(broken);
      results.add(result);
      RuntimeException failure = result.failure();
      if (failure != null && affectsAll(failure)) {
        broken = failure;
      }
    }
    return results;
  }

  /** Whether the failure is not about one event, so that the others must not be tried alone. */
  private static boolean affectsAll(RuntimeException failure) {
    if (failure instanceof CommitUnknownException) {
      // the events may have been stored: a retry without a key would store them twice
      return true;
    }
    if (failure instanceof DatabaseException sql) {
      return switch (sql.error()) {
        case CONNECTION_LOST, STATEMENT_TIMEOUT, READ_ONLY, OBJECT_NOT_FOUND -> true;
        default -> false;
      };
    }
    return false;
  }

  /** Stores all events or none. */
  List<Stored> storeAll(List<Draft> drafts) {
    return holdfast.transactions().<List<Stored>, RuntimeException>call(tx -> storeAll(tx, drafts));
  }

  /**
   * Stores all events in the order of their keys, so that concurrent requests with the same keys do
   * not deadlock. Events of one ordering key keep their order, at the place of the first one.
   */
  List<Stored> storeAll(Transaction tx, List<Draft> drafts) {
    List<Integer> order =
        IntStream.range(0, drafts.size())
            .boxed()
            .sorted(Comparator.comparing(sortKeys(drafts)::get))
            .toList();
    List<EventScheduleResult> results =
        events.scheduleAll(tx, order.stream().map(place -> drafts.get(place).event).toList());
    List<EventId> fresh =
        results.stream()
            .filter(EventScheduleResult.Scheduled.class::isInstance)
            .map(EventScheduleResult::id)
            .toList();
    Map<EventId, EventRecord> records = new HashMap<>();
    events.findAll(tx, fresh).forEach(event -> records.put(event.id(), event));
    Map<Integer, Stored> stored = new HashMap<>();
    for (int i = 0; i < order.size(); i++) {
      stored.put(order.get(i), stored(results.get(i), records));
    }
    return IntStream.range(0, drafts.size())
        .mapToObj(place -> Objects.requireNonNull(stored.get(place)))
        .toList();
  }

  /** The sort key of each event. */
  private static List<String> sortKeys(List<Draft> drafts) {
    Map<String, String> firstKeys = new HashMap<>();
    List<String> all = new ArrayList<>(drafts.size());
    for (Draft draft : drafts) {
      String own = draft.key == null ? "" : draft.key;
      String orderingKey = draft.orderingKey;
      all.add(orderingKey == null ? own : firstKeys.computeIfAbsent(orderingKey, ignored -> own));
    }
    return all;
  }

  private static Stored stored(EventScheduleResult result, Map<EventId, EventRecord> records) {
    if (result instanceof EventScheduleResult.AlreadyScheduled same) {
      return new Stored(same.existing(), Stored.Kind.SAME);
    }
    if (result instanceof EventScheduleResult.PayloadDiffers other) {
      return new Stored(other.existing(), Stored.Kind.OTHER);
    }
    return new Stored(
        Objects.requireNonNull(records.get(result.id()), "the event that was stored"),
        Stored.Kind.NEW);
  }
}
