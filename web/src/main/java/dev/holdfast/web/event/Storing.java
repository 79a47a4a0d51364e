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
import dev.holdfast.web.event.GroupCommit.Answer;
import dev.holdfast.web.webhook.WebhookTask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Stores events, many in one transaction, and reads them back there. Thread-safe. */
final class Storing {
  private final Holdfast holdfast;
  private final Events events;

  Storing(Holdfast holdfast) {
    this.holdfast = holdfast;
    this.events = holdfast.events();
  }

  /** One that is to be stored; its keys are known apart, for the order. */
  record Draft(Event<WebhookTask> event, @Nullable String key, @Nullable String orderingKey) {}

  /**
   * Each for itself, though in one transaction where that is possible. One that cannot be stored
   * does not keep the others from it; a database that is away does.
   */
  List<Answer<Stored>> each(List<Draft> drafts) {
    try {
      return all(drafts).stream().map(Answer::of).toList();
    } catch (RuntimeException e) {
      return drafts.size() == 1 || concernsAll(e)
          ? drafts.stream().map(draft -> Answer.<Stored>failed(e)).toList()
          : oneByOne(drafts);
    }
  }

  private List<Answer<Stored>> oneByOne(List<Draft> drafts) {
    List<Answer<Stored>> answers = new ArrayList<>(drafts.size());
    RuntimeException broken = null;
    for (Draft draft : drafts) {
      Answer<Stored> answer = broken == null ? each(List.of(draft)).get(0) : Answer.failed(broken);
      answers.add(answer);
      RuntimeException failure = answer.failure();
      if (failure != null && concernsAll(failure)) {
        broken = failure;
      }
    }
    return answers;
  }

  /** Whether it is not about one of the events: then trying the others again helps nobody. */
  private static boolean concernsAll(RuntimeException failure) {
    if (failure instanceof CommitUnknownException) {
      // those of a group may have been stored: who does it again without a key does it twice
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

  /** All or none. */
  List<Stored> all(List<Draft> drafts) {
    return holdfast.transactions().<List<Stored>, RuntimeException>call(tx -> all(tx, drafts));
  }

  /**
   * In the order of the keys, so that two who store the same ones do not wait in a circle. Those of
   * one ordering key stay together and in their order, by the key of the first: it is their place.
   */
  List<Stored> all(Transaction tx, List<Draft> drafts) {
    List<Integer> order =
        IntStream.range(0, drafts.size())
            .boxed()
            .sorted(Comparator.comparing(rankOf(drafts)::get))
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

  /** By what each is sorted. */
  private static List<String> rankOf(List<Draft> drafts) {
    Map<String, String> firstKeys = new HashMap<>();
    List<String> ranks = new ArrayList<>(drafts.size());
    for (Draft draft : drafts) {
      String own = draft.key == null ? "" : draft.key;
      String orderingKey = draft.orderingKey;
      ranks.add(orderingKey == null ? own : firstKeys.computeIfAbsent(orderingKey, ignored -> own));
    }
    return ranks;
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
