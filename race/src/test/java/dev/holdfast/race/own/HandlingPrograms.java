package dev.holdfast.race.own;

import dev.holdfast.internal.event.store.ClaimedEvent;
import java.time.Duration;
import java.util.List;

/** Claiming, completing, putting back and rescuing events. */
final class HandlingPrograms {
  static final Program CLAIM = claim(2);

  static final Program CLAIM_BY_THREE = claim(3);

  static final Program CLAIM_OTHERS =
      new Program(
          "who claims takes what nobody else has",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 2)
                  .given(EventTables.instances(), EventTables.pending(1), EventTables.pending(2))
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).work(1))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).work(1))
                  .invariant(
                      "both have done one", "select count(*) = 2 from holdfast_event_history"));

  /** Ben changes both the other way round. */
  static final Program CLAIM_BESIDE =
      new Program(
          "a claim waits for nobody",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 2)
                  .given(EventTables.instances(), EventTables.pending(1), EventTables.pending(2))
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).work(2))
                  .actor(
                      "Ben",
                      ds -> {
                        EventActor ben = new EventActor("Ben", 2, Mutation.none(), ds);
                        ben.step(
                            connection ->
                                ben.store.cancelPending(connection, 0, 2, 1, "no")
                                    && ben.store.cancelPending(connection, 0, 1, 1, "no"));
                      }));

  static final Program CLAIM_WITHOUT_LEASE =
      new Program(
          "an instance whose lease has run out gets nothing",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.pending(1))
                  .actor(
                      "Dead", ds -> new EventActor("Dead", EventTables.DEAD, mutation, ds).work(1))
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).work(1))
                  .invariant("nothing", "select count(*) = 0 from notes where who = 'Dead'"));

  static final Program COMPLETE_OR_RESCUE =
      lost(
          "an event is completed by who has it, or rescued",
          dead -> {
            if (dead.isOwnedByTheDead()) {
              dead.end(1, 2);
            }
          },
          "select count(*) = 0 from holdfast_event_history where version not in (select version"
              + " from notes where what = 'ended')");

  static final Program PUT_BACK_OR_RESCUE =
      lost(
          "an event is put back by who has it, or rescued",
          dead -> {
            if (dead.isOwnedByTheDead()) {
              dead.putBack(1, 2);
            }
          },
          "select count(*) = 0 from holdfast_event_history where crashes > 0 and exists (select 1"
              + " from notes where what = 'put back')");

  static final Program BEGIN_OR_RESCUE =
      new Program(
          "an event is begun by who has it, or rescued",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances(), EventTables.processing(1, EventTables.DEAD))
                  .actor(
                      "Dead",
                      ds -> {
                        EventActor dead = new EventActor("Dead", EventTables.DEAD, mutation, ds);
                        if (dead.isOwnedByTheDead()) {
                          dead.step(connection -> dead.store.begin(connection, 0, 1, 2));
                        }
                      })
                  .actor(
                      "Ana",
                      ds -> {
                        EventActor ana = new EventActor("Ana", 1, mutation, ds);
                        ana.rescue();
                        ana.claim(1);
                      })
                  .invariant(
                      "not in the hands of another",
                      // -1: it was begun, and then its instance was taken for crashed
                      "select begun is null or begun in (2, -1) from holdfast_event"));

  static final Program RESCUE =
      new Program(
          "an event is rescued once",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances(), EventTables.processing(1, EventTables.DEAD))
                  .actors(3, ds -> new EventActor("any", 1, mutation, ds).rescue())
                  .invariant("once", "select version = 3 and crashes = 1 from holdfast_event"));

  static final Program RESCUE_AND_CLAIM =
      new Program(
          "an event that was rescued and claimed again is left alone",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.processing(1, EventTables.DEAD))
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).rescue())
                  .actor(
                      "Ben",
                      ds -> {
                        EventActor ben = new EventActor("Ben", 2, mutation, ds);
                        List<ClaimedEvent> claimed =
                            ben.step(
                                connection -> {
                                  ben.rescue(connection);
                                  return ben.claim(connection, 1);
                                });
                        for (ClaimedEvent event : claimed) {
                          ben.end(event.id(), event.version());
                        }
                      }));

  static final Program RESCUE_LIVING =
      new Program(
          "what a living instance has is left to it",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 1)
                  .given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).work(1))
                  .actor("Ben", ds -> new EventActor("Ben", 2, mutation, ds).rescue()));

  /** The slow one ends both the other way round. */
  static final Program RESCUE_BESIDE =
      new Program(
          "a rescue waits for nobody",
          EventTables::make,
          (race, mutation) ->
              EventTables.holding(race, 2)
                  .given(
                      EventTables.instances(),
                      EventTables.processing(1, EventTables.DEAD),
                      EventTables.processing(2, EventTables.DEAD))
                  .actor(
                      "Dead",
                      ds -> {
                        EventActor dead =
                            new EventActor("Dead", EventTables.DEAD, Mutation.none(), ds);
                        dead.step(
                            connection -> dead.end(connection, 2, 2) && dead.end(connection, 1, 2));
                      })
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).rescue()));

  /** It does not know whether it has lost the event, or given it back itself. */
  static final Program UNCOUNT =
      new Program(
          "who lives on takes back the crash that was counted for it, and no other",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances(), EventTables.processing(1, EventTables.DEAD))
                  .actor(
                      "Dead",
                      ds -> {
                        EventActor dead = new EventActor("Dead", EventTables.DEAD, mutation, ds);
                        dead.giveBack(1, 2);
                        dead.uncount(1, 2);
                      })
                  .actor(
                      "Ana",
                      ds -> {
                        EventActor ana = new EventActor("Ana", 1, mutation, ds);
                        ana.rescue();
                        ana.claim(1);
                      })
                  .invariant("no crash is left", "select crashes = 0 from holdfast_event"));

  static final Program RENEW_OR_RESCUE =
      new Program(
          "an instance that lives on keeps what it has",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances(), EventTables.processing(1, EventTables.DEAD))
                  .actor(
                      "Dead",
                      ds -> {
                        EventActor dead = new EventActor("Dead", EventTables.DEAD, mutation, ds);
                        if (dead.isOwnedByTheDead()) {
                          dead.step(
                              connection ->
                                  dead.store.renew(
                                      connection, EventTables.DEAD, Duration.ofDays(1)));
                        }
                      })
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).rescue())
                  .invariant(
                      "it is dead or has it",
                      "select status = 1 or (select count(*) = 0 from holdfast_instance where id ="
                          + " 9 and expires_at > timestamp '2020-01-03 00:00:00') from"
                          + " holdfast_event"));

  static final Program STOP_OR_RENEW =
      new Program(
          "an instance that has stopped does not live on",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances())
                  .actor(
                      "Ana",
                      ds -> {
                        EventActor ana = new EventActor("Ana", 1, mutation, ds);
                        ana.step(connection -> ana.store.renew(connection, 1, Duration.ofDays(1)));
                      })
                  .actor(
                      "Ben",
                      ds -> {
                        EventActor ben = new EventActor("Ben", 2, mutation, ds);
                        ben.step(
                            connection -> {
                              ben.store.release(connection, 1);
                              return true;
                            });
                      })
                  .invariant(
                      "it is dead",
                      "select count(*) = 0 from holdfast_instance where id = 1 and expires_at >"
                          + " current_timestamp"));

  static final Program FORGET_INSTANCE =
      new Program(
          "an instance that has an event is not forgotten",
          EventTables::make,
          (race, mutation) ->
              race.given(EventTables.instances(), EventTables.pending(1))
                  .actor("Ana", ds -> new EventActor("Ana", 1, mutation, ds).claim(1))
                  .actor(
                      "Ben",
                      ds -> {
                        EventActor ben = new EventActor("Ben", 2, mutation, ds);
                        ben.step(
                            connection -> {
                              ben.store.release(connection, 1);
                              return true;
                            });
                        ben.step(
                            connection ->
                                ben.store.forgetInstances(connection, 1, Duration.ofHours(1)));
                      })
                  .invariant(
                      "whoever has an event is known",
                      "select owner is null or owner in (select id from holdfast_instance) from"
                          + " holdfast_event"));

  static final List<Program> ALL =
      List.of(
          CLAIM,
          CLAIM_BY_THREE,
          CLAIM_OTHERS,
          CLAIM_BESIDE,
          CLAIM_WITHOUT_LEASE,
          COMPLETE_OR_RESCUE,
          PUT_BACK_OR_RESCUE,
          BEGIN_OR_RESCUE,
          RESCUE,
          RESCUE_AND_CLAIM,
          RESCUE_LIVING,
          RESCUE_BESIDE,
          UNCOUNT,
          RENEW_OR_RESCUE,
          STOP_OR_RENEW,
          FORGET_INSTANCE);

  private HandlingPrograms() {}

  private static Program claim(int claimers) {
    return new Program(
        "an event is handled by one of " + claimers,
        EventTables::make,
        (race, mutation) -> {
          EventTables.holding(race, 1)
              .given(EventTables.instances(), EventTables.pending(1))
              .invariant("it is handled", "select count(*) = 1 from holdfast_event_history");
          List<String> names = List.of("Ana", "Ben", "Cem").subList(0, claimers);
          for (String who : names) {
            int instance = names.indexOf(who) + 1;
            race.actor(who, ds -> new EventActor(who, instance, mutation, ds).work(1));
          }
        });
  }

  /** What somebody does who does not know that its lease has run out. */
  private interface Slow {
    void with(EventActor hands) throws Exception;
  }

  private static Program lost(String name, Slow slow, String oneOfBoth) {
    return new Program(
        name,
        EventTables::make,
        (race, mutation) ->
            EventTables.holding(race, 1)
                .given(EventTables.instances(), EventTables.processing(1, EventTables.DEAD))
                .actor(
                    "Dead", ds -> slow.with(new EventActor("Dead", EventTables.DEAD, mutation, ds)))
                .actor(
                    "Ana",
                    ds -> {
                      EventActor ana = new EventActor("Ana", 1, mutation, ds);
                      ana.rescue();
                      ana.work(1);
                    })
                .invariant("one of both", oneOfBoth));
  }
}
