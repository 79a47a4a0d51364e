package dev.holdfast.race.own;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import dev.holdfast.race.Race;
import dev.holdfast.race.own.LeaseTables.Place;
import dev.holdfast.race.own.LeaseTables.Row;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Exclusive leases: acquiring, renewing, releasing, running out, taking away, handing over. */
final class LeasePrograms {
  static final Target LEASE = Target.exclusive("lease");
  private static final LeaseKey KEY = LEASE.key();
  private static final Target OLD = Target.exclusive("old");

  static final Row FREE = new Row(KEY, "Nil", true, LeaseTables.FUTURE);
  static final Row RUN_OUT = new Row(KEY, "Dead", false, LeaseTables.PAST);
  static final Row HELD = new Row(KEY, "Ana", false, LeaseTables.FUTURE);

  static final String ROW = " from holdfast_lease where kind = 0 and name = 'lease'";

  static final Program FIRST =
      new Program(
          "a new lease has one holder at a time",
          LeaseTables::make,
          (race, mutation) ->
              both(LeaseTables.holding(race).given(LeaseTables.work(0)), mutation, null));

  static final Program FIRST_WAITING =
      new Program(
          "a new lease that others wait for has one holder at a time",
          LeaseTables::make,
          (race, mutation) ->
              both(
                  LeaseTables.holding(race).given(LeaseTables.work(0)),
                  mutation,
                  LeaseActor.MARKED));

  static final Program NEXT = next("a lease has one holder at a time", FREE, null);

  static final Program NEXT_WAITING =
      next("a lease that others wait for has one holder at a time", FREE, LeaseActor.MARKED);

  static final Program TAKEN_OVER =
      next("a lease that has run out is taken over by one", RUN_OUT, null);

  static final Program TAKEN_OVER_WAITING =
      next("a lease that has run out is taken over by one who waits", RUN_OUT, LeaseActor.MARKED);

  static final Program RESTORED =
      new Program(
          "tokens grow although the rows are those of an old backup",
          LeaseTables::make,
          (race, mutation) ->
              both(
                  LeaseTables.holding(race)
                      .given(LeaseTables.work(1_000_000_000_000_000L))
                      .given(FREE)
                      .given(
                          "update holdfast_lease set token = 5 where name = 'lease' and kind = 0"),
                  mutation,
                  null));

  static final Program DEAD =
      new Program(
          "who has run out has nothing",
          LeaseTables::make,
          (race, mutation) ->
              given(race, RUN_OUT)
                  .actor("Ana", ds -> hands("Ana", mutation, ds).work(null))
                  .actor(
                      "Dead",
                      ds -> {
                        LeaseActor dead = hands("Dead", mutation, ds);
                        if (dead.renew()
                            || !(dead.handOver(hands("Eve", mutation, ds), false)
                                instanceof ReleaseResult.Lost)
                            || !(dead.release() instanceof ReleaseResult.Lost)) {
                          dead.note("had");
                        }
                      })
                  .invariant("it is taken over", "select times = 1 from work"));

  static final Program REPEATED = repeated("an acquisition can be repeated", null);

  static final Program REPEATED_WAITING =
      repeated("an acquisition that waits can be repeated", LeaseActor.MARKED);

  static final Program RELEASED =
      new Program(
          "who has released it can not renew it",
          LeaseTables::make,
          (race, mutation) ->
              given(race, HELD)
                  .actor(
                      "Ana",
                      ds -> {
                        LeaseActor ana = hands("Ana", mutation, ds);
                        ana.release();
                        if (ana.renew()) {
                          ana.note("had");
                        }
                      })
                  .actor("Ben", ds -> hands("Ben", mutation, ds).work(null)));

  static final Program FORCED =
      forced(
          "who has lost it by force can neither renew nor release it",
          (dead, next) -> {
            dead.renew();
            dead.release();
          });

  static final Program FORCED_HANDING =
      forced(
          "who has lost it by force can not hand it over",
          (dead, next) -> dead.handOver(next, false));

  static final Program FORCED_TWICE =
      new Program(
          "what nobody has is not taken away",
          LeaseTables::make,
          (race, mutation) ->
              given(race, new Row(KEY, "Dead", false, LeaseTables.FUTURE))
                  .actor("Cem", ds -> forceAndNote(hands("Cem", mutation, ds)))
                  .actor("Dan", ds -> forceAndNote(hands("Dan", mutation, ds)))
                  .invariant("once", "select count(*) = 1 from notes"));

  static final Program FORCED_RUN_OUT =
      new Program(
          "what has run out is not taken away",
          LeaseTables::make,
          (race, mutation) ->
              given(race, RUN_OUT)
                  .actor("Cem", ds -> forceAndNote(hands("Cem", mutation, ds)))
                  .actor("Dan", ds -> forceAndNote(hands("Dan", mutation, ds)))
                  .invariant("never", "select count(*) = 0 from notes"));

  static final Program FORCED_BESIDE =
      new Program(
          "the token of taking it away is nobody else's",
          LeaseTables::make,
          (race, mutation) ->
              given(race, new Row(KEY, "Dead", false, LeaseTables.FUTURE))
                  .actor(
                      "Cem",
                      ds -> {
                        LeaseActor cem = hands("Cem", mutation, ds);
                        OptionalLong token = cem.store.forceRelease(KEY);
                        if (token.isPresent()) {
                          cem.note(token.getAsLong());
                        }
                      })
                  .actor(
                      "Ben",
                      ds -> {
                        LeaseActor ben = hands("Ben", mutation, ds);
                        if (ben.ask(null) instanceof AcquireResult.Granted granted) {
                          ben.note(granted.token());
                        }
                      })
                  .invariant(
                      "each token once", "select count(*) = count(distinct what) from notes"));

  static final Program HANDED_OVER =
      new Program(
          "what is handed over goes through nobody else's hands",
          LeaseTables::make,
          (race, mutation) ->
              given(race, HELD)
                  .actor(
                      "Ana",
                      ds -> {
                        LeaseActor next = new LeaseActor("Eve", "Ana", LEASE, mutation, ds);
                        if (hands("Ana", mutation, ds).handOver(next, false)
                            instanceof ReleaseResult.HandedOver handed) {
                          next.work(handed.token());
                        }
                      })
                  .actor("Ben", ds -> hands("Ben", mutation, ds).work(null))
                  .invariant("Eve had it first", "select first = 'Eve' from work"));

  static final Program FORGOTTEN =
      new Program(
          "only what nobody has or waits for is forgotten, and tokens still grow",
          LeaseTables::make,
          (race, mutation) ->
              LeaseTables.holding(race)
                  .given(LeaseTables.work(5))
                  .given(new Row(OLD.key(), "Nil", true, LeaseTables.PAST))
                  .given("update holdfast_lease set token = 5 where name = 'old'")
                  .given(
                      new Row(LeaseKey.exclusive("waited"), "Nil", true, LeaseTables.PAST)
                          .waitedFor("Nil", LeaseTables.FUTURE))
                  .given(new Row(LeaseKey.readWrite("read"), null, true, LeaseTables.PAST))
                  .given(new Place(LeaseKey.readWrite("read"), "Ben", true, 0, LeaseTables.FUTURE))
                  .given(new Row(LeaseKey.readWrite("gone"), null, true, LeaseTables.PAST))
                  .given(new Place(LeaseKey.readWrite("gone"), "Ben", true, 0, LeaseTables.PAST))
                  .actor("Ana", ds -> new LeaseActor("Ana", OLD, mutation, ds).work(null))
                  .actor("Cem", ds -> hands("Cem", mutation, ds).store.prune(Duration.ofDays(1)))
                  .invariant("Ana has it", "select times = 1 from work")
                  .invariant(
                      "what is waited for or read stays",
                      "select count(*) = 2 from holdfast_lease where name in ('waited', 'read')")
                  .invariant(
                      "who reads stays",
                      "select count(*) = 1 from holdfast_lease_entry where name = 'read'")
                  .invariant(
                      "what has run out goes",
                      "select count(*) = 0 from holdfast_lease where name = 'gone'"));

  static final List<Program> ALL =
      List.of(
          FIRST,
          FIRST_WAITING,
          NEXT,
          NEXT_WAITING,
          TAKEN_OVER,
          TAKEN_OVER_WAITING,
          RESTORED,
          DEAD,
          REPEATED,
          REPEATED_WAITING,
          RELEASED,
          FORCED,
          FORCED_HANDING,
          FORCED_TWICE,
          FORCED_RUN_OUT,
          FORCED_BESIDE,
          HANDED_OVER,
          FORGOTTEN);

  private LeasePrograms() {}

  static LeaseActor hands(String who, Mutation mutation, DataSource dataSource) {
    return new LeaseActor(who, LEASE, mutation, dataSource);
  }

  static Race given(Race race, Row row) {
    return LeaseTables.holding(race).given(LeaseTables.work(LeaseTables.TOKEN)).given(row);
  }

  private static void both(Race race, Mutation mutation, @Nullable WaitRegistration waiting) {
    race.actor("Ana", ds -> hands("Ana", mutation, ds).work(waiting))
        .actor("Ben", ds -> hands("Ben", mutation, ds).work(waiting))
        .invariant("somebody gets it", "select times >= 1 from work");
  }

  private static Program next(String name, Row row, @Nullable WaitRegistration waiting) {
    return new Program(
        name, LeaseTables::make, (race, mutation) -> both(given(race, row), mutation, waiting));
  }

  private static Program repeated(String name, @Nullable WaitRegistration waiting) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            given(race, new Row(KEY, "Ana", false, LeaseTables.PAST))
                .actor("Ana", ds -> repeat(hands("Ana", mutation, ds), waiting))
                .actor("Ben", ds -> hands("Ben", mutation, ds).ask(LeaseActor.MARKED)));
  }

  /** Asks twice, as after an answer that was lost, and once more after its release. */
  private static void repeat(LeaseActor ana, @Nullable WaitRegistration waiting)
      throws SQLException {
    if (!(ana.ask(waiting) instanceof AcquireResult.Granted first)) {
      return;
    }
    if (!ana.ask(waiting).equals(first)) {
      ana.note("lost");
    }
    ana.work(first.token());
    ana.work(waiting);
  }

  /** What somebody does who does not know that its lease was taken away. */
  private interface Slow {
    void with(LeaseActor dead, LeaseActor next) throws Exception;
  }

  private static Program forced(String name, Slow slow) {
    return new Program(
        name,
        LeaseTables::make,
        (race, mutation) ->
            given(race, new Row(KEY, "Dead", false, LeaseTables.FUTURE))
                .actor(
                    "Dead",
                    ds -> slow.with(hands("Dead", mutation, ds), hands("Eve", mutation, ds)))
                .actor(
                    "Ana",
                    ds -> {
                      LeaseActor ana = hands("Ana", mutation, ds);
                      ana.force();
                      ana.work(null);
                    })
                .invariant("it is free then", "select times = 1 from work")
                .invariant(
                    "it is Ana's, for as long as she said",
                    "select holder = 'Ana' and expires_at > timestamp '2050-01-01 00:00:00'"
                        + ROW));
  }

  private static void forceAndNote(LeaseActor hands) throws SQLException {
    if (hands.force().isPresent()) {
      hands.note("forced");
    }
  }
}
