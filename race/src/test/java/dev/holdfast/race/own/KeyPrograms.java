package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.event.Event;
import dev.holdfast.event.Event.OnDuplicate;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventType;
import dev.holdfast.event.Events;
import dev.holdfast.event.Queues;
import dev.holdfast.race.ActorCallback;
import dev.holdfast.race.Race;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.SqlError;
import java.time.Duration;
import java.util.List;

/** Scheduling with a key, forgetting keys, and replaying. */
final class KeyPrograms {
  static final EventType<String> TYPE = EventType.of("t", String.class);

  private static final String ONE = "select count(*) = 1 from holdfast_event";

  static final Program KEEP =
      scheduling("an event with a key is scheduled once", "", OnDuplicate.KEEP_EXISTING);

  static final Program REJECT =
      scheduling(
          "of events that differ and have one key one is scheduled",
          "",
          OnDuplicate.REJECT_DIFFERENT);

  /** The key is of an event that nobody knows any more. */
  static final Program TAKE_OVER =
      scheduling(
          "the key of a forgotten event is taken over once",
          EventTables.keyed(77, "k"),
          OnDuplicate.KEEP_EXISTING);

  /** An event that is replaced is pending, or its handler would not know what it handles. */
  static final Program REPLACE_OR_CLAIM =
      new Program(
          "an event that is being handled is not replaced",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.pending(1), EventTables.keyed(1, "k"))
                  .actor(
                      "Ana",
                      ds -> {
                        EventActor ana = new EventActor("Ana", 1, mutation, ds);
                        EventScheduleResult result =
                            Holdfast.create(mutation.over("Ana", ds))
                                .events()
                                .schedule(event("new", OnDuplicate.REPLACE_PENDING));
                        if (result instanceof EventScheduleResult.Replaced replaced) {
                          ana.step(
                              connection -> {
                                ana.note(connection, "replaced", 1, replaced.version() - 1);
                                return true;
                              });
                        }
                      })
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).work(1)));

  static final Program REPLACE_OR_REPLACE =
      new Program(
          "an event is replaced by one and then by the other",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.pending(1), EventTables.keyed(1, "k"))
                  .actorWithResult("Ana", asked(mutation, "Ana", OnDuplicate.REPLACE_PENDING))
                  .actorWithResult("Ben", asked(mutation, "Ben", OnDuplicate.REPLACE_PENDING)));

  static final Program FORGET_OR_SCHEDULE =
      new Program(
          "the key of an event that is there is not forgotten",
          EventTables::make,
          (race, mutation) ->
              known(race)
                  .given(EventTables.keyed(77, "k"))
                  .actor("Ana", ds -> forgetKeys(new EventActor("Ana", 1, mutation, ds)))
                  .actorWithResult("Ben", asked(mutation, "Ben", OnDuplicate.KEEP_EXISTING)));

  /** Ben takes both over the other way round. */
  static final Program FORGET_BESIDE =
      new Program(
          "forgetting keys waits for nobody",
          EventTables::make,
          (race, mutation) ->
              known(race)
                  .given(EventTables.keyed(77, "k"), EventTables.keyed(78, "l"))
                  .actor("Ana", ds -> forgetKeys(new EventActor("Ana", 1, mutation, ds)))
                  .actor(
                      "Ben",
                      ds -> {
                        Holdfast holdfast = Holdfast.create(ds);
                        Events events = holdfast.events();
                        holdfast
                            .transactions()
                            .run(
                                tx -> {
                                  events.schedule(tx, TYPE.event("x").key("l"));
                                  events.schedule(tx, TYPE.event("x").key("k"));
                                });
                      }));

  static final Program FORGET_OR_COMPLETE =
      new Program(
          "the key of an event that ends is not forgotten",
          EventTables::make,
          (race, mutation) ->
              known(race)
                  .given(
                      EventTables.instances(),
                      EventTables.processing(1, 2),
                      "update holdfast_event set event_key = 'k'",
                      EventTables.keyed(1, "k"))
                  .actor("Ana", ds -> forgetKeys(new EventActor("Ana", 1, mutation, ds)))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).end(1, 2)));

  static final Program REPLAY =
      new Program(
          "an event is replayed once",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.failed(77))
                  .actorsWithResult(3, replaying(mutation))
                  .invariant("one", ONE)
                  .requireSerializable());

  static final Program PAUSE =
      new Program(
          "of three that pause a queue at once all succeed, and it is paused once",
          EventTables::make,
          (race, mutation) ->
              race.forbid(SqlError.UNIQUE_VIOLATION)
                  .actors(
                      3,
                      ds -> {
                        Queues queues = Holdfast.create(mutation.over(ds)).queues();
                        if (queues.paused().isEmpty()) {
                          queues.pause("q");
                        }
                      })
                  .invariant("one", "select count(*) = 1 from holdfast_pause"));

  static final List<Program> ALL =
      List.of(
          KEEP,
          REJECT,
          TAKE_OVER,
          REPLACE_OR_CLAIM,
          REPLACE_OR_REPLACE,
          FORGET_OR_SCHEDULE,
          FORGET_BESIDE,
          FORGET_OR_COMPLETE,
          REPLAY,
          PAUSE);

  private KeyPrograms() {}

  private static Event<String> event(String payload, OnDuplicate mode) {
    return TYPE.event(payload).queue("q").key("k").onDuplicate(mode);
  }

  private static ActorCallback asked(Mutation mutation, String who, OnDuplicate mode) {
    return ds ->
        Holdfast.create(mutation.over(who, ds))
            .events()
            .schedule(event(who, mode))
            .getClass()
            .getSimpleName();
  }

  /** A failure is an answer too: nobody is to give up who could be told that it was done. */
  private static ActorCallback replaying(Mutation mutation) {
    return ds -> {
      try {
        Events events = Holdfast.create(mutation.over(ds)).events();
        return events.replay(new EventId(0, 77)).getClass().getSimpleName();
      } catch (CommitUnknownException e) {
        throw e;
      } catch (DatabaseException e) {
        return "failed";
      }
    };
  }

  private static Program scheduling(String name, String given, OnDuplicate mode) {
    return new Program(
        name,
        EventTables::make,
        (race, mutation) -> {
          if (!given.isEmpty()) {
            race.given(given);
          }
          for (String who : List.of("Ana", "Ben", "Cem")) {
            race.actorWithResult(
                who,
                ds ->
                    Holdfast.create(ds).events().findByKey("k").isPresent()
                        ? "there"
                        : asked(mutation, who, mode).call(ds));
          }
          race.forbid(SqlError.UNIQUE_VIOLATION).invariant("one event", ONE);
        });
  }

  private static Race known(Race race) {
    return race.invariant(
        "its key is taken",
        "select count(*) = 0 from (select id from holdfast_event where event_key = 'k' union all"
            + " select id from holdfast_event_history where event_key = 'k') e where not exists"
            + " (select 1 from holdfast_event_key k where k.event_key = 'k' and k.id = e.id)");
  }

  private static void forgetKeys(EventActor hands) throws Exception {
    hands.step(
        connection ->
            hands.store.forgetKeys(connection, 0, "", Duration.ofHours(1), 10).forgotten());
  }
}
