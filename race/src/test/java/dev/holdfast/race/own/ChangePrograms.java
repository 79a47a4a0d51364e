package dev.holdfast.race.own;

import dev.holdfast.event.EventChange;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.race.ActorAction;
import java.util.List;
import java.util.Optional;

/**
 * Changing and cancelling single events, which others may be handling: looks first, as a user does.
 */
final class ChangePrograms {
  static final Program CANCEL_OR_CLAIM =
      new Program(
          "an event is cancelled or handled",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", cancelling("Ana", mutation))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).work(1)));

  static final Program CANCEL_OR_CHANGE =
      new Program(
          "what was changed meanwhile is not cancelled unseen",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", cancelling("Ana", mutation))
                  .actor("Ben", changing("Ben", mutation)));

  static final Program CHANGE_OR_CHANGE =
      new Program(
          "of three who change an event as they saw it one does",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", changing("Ana", mutation))
                  .actor("Ben", changing("Ben", mutation))
                  .actor("Cem", changing("Cem", mutation)));

  static final Program CHANGE_OR_CLAIM =
      new Program(
          "an event that is being handled is not changed",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", changing("Ana", mutation))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).work(1)));

  /** Ben handles it twice; Ana has seen the first time. */
  static final Program ASK_TO_STOP =
      new Program(
          "only the run that was seen is asked to stop",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", asking(mutation, EventStatus.PROCESSING, 2))
                  .actor(
                      "Ben",
                      ds -> {
                        EventActor ben = new EventActor("Ben", 2, mutation, ds);
                        for (ClaimedEvent event : ben.claim(1)) {
                          ben.putBack(event.id(), event.version());
                        }
                        ben.claim(1);
                      })
                  .invariant("not the second", "select not cancel_requested from holdfast_event"));

  static final Program ASK_TO_STOP_EARLY =
      new Program(
          "what is not being handled cannot be asked to stop",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", asking(mutation, EventStatus.PENDING, 1))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).claim(1))
                  .invariant("nobody", "select not cancel_requested from holdfast_event"));

  static final List<Program> ALL =
      List.of(
          CANCEL_OR_CLAIM,
          CANCEL_OR_CHANGE,
          CHANGE_OR_CHANGE,
          CHANGE_OR_CLAIM,
          ASK_TO_STOP,
          ASK_TO_STOP_EARLY);

  private ChangePrograms() {}

  private static ActorAction cancelling(String who, Mutation mutation) {
    return ds -> {
      EventActor hands = new EventActor(who, 1, mutation, ds);
      Optional<EventRecord> found = hands.find();
      if (found.isPresent() && !found.get().status().isEnded()) {
        int version = found.get().version();
        hands.step(
            connection -> {
              boolean done = hands.store.cancelPending(connection, 0, 1, version, "no");
              if (done) {
                hands.note(connection, "cancelled", 1, version);
              }
              return done;
            });
      }
    };
  }

  /** Changes it as long as nobody has changed it. */
  private static ActorAction changing(String who, Mutation mutation) {
    return ds -> {
      EventActor hands = new EventActor(who, 1, mutation, ds);
      Optional<EventRecord> found = hands.find();
      if (found.isPresent() && !found.get().status().isEnded()) {
        int version = found.get().version();
        EventChange wanted = EventChange.create().priority(9);
        hands.step(
            connection -> {
              boolean done = hands.store.change(connection, 0, 1, version, wanted, null, null);
              if (done) {
                hands.note(connection, "changed", 1, version);
              }
              return done;
            });
      }
    };
  }

  private static ActorAction asking(Mutation mutation, EventStatus seen, int version) {
    return ds -> {
      EventActor hands = new EventActor("Ana", 1, mutation, ds);
      Optional<EventRecord> found = hands.find();
      if (found.isPresent() && found.get().status() == seen && found.get().version() == version) {
        hands.step(connection -> hands.store.requestCancel(connection, 0, 1, version));
      }
    };
  }
}
