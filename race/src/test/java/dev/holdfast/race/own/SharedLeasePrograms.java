package dev.holdfast.race.own;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import dev.holdfast.race.Race;
import dev.holdfast.race.own.LeaseTables.Place;
import dev.holdfast.race.own.LeaseTables.Row;
import dev.holdfast.transaction.SqlError;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Leases with several holders, or with a queue. */
final class SharedLeasePrograms {
  private static final Target WRITE = Target.write("lease");
  private static final Target READ = Target.read("lease");
  private static final Target PERMIT = Target.permits("pool", 1, 2);
  private static final Target QUEUED = LeasePrograms.LEASE;
  private static final LeaseKey KEY = WRITE.key();
  private static final Row ROW = new Row(KEY, null, true, LeaseTables.PAST);

  static final Program FIRST =
      new Program(
          "a new shared lease has one writer at a time",
          LeaseTables::make,
          (race, mutation) ->
              both(
                  LeaseTables.holding(race)
                      .given(LeaseTables.work(0))
                      .forbid(SqlError.UNIQUE_VIOLATION)
                      .invariant(
                          "its row is made",
                          "select count(*) = 1 from holdfast_lease where kind = 1 and name ="
                              + " 'lease'"),
                  mutation,
                  WRITE,
                  null));

  static final Program NEXT =
      new Program(
          "a shared lease has one writer at a time",
          LeaseTables::make,
          (race, mutation) -> both(given(race), mutation, WRITE, null));

  static final Program READ_OR_WRITTEN =
      new Program(
          "a shared lease has readers or a writer",
          LeaseTables::make,
          (race, mutation) -> both(given(race), mutation, READ, null));

  static final Program PERMITTED =
      new Program(
          "the last permit has one holder at a time",
          LeaseTables::make,
          (race, mutation) ->
              given(race)
                  .given(new Row(PERMIT.key(), null, true, LeaseTables.PAST))
                  .given(new Place(PERMIT.key(), "Nil", true, 0, LeaseTables.FUTURE))
                  .given("update holdfast_lease_entry set token = 1 where name = 'pool'")
                  .actor("Ana", ds -> new LeaseActor("Ana", PERMIT, mutation, ds).work(null))
                  .actor("Ben", ds -> new LeaseActor("Ben", PERMIT, mutation, ds).work(null))
                  .invariant("somebody gets it", "select times >= 1 from work"));

  static final Program DEAD =
      new Program(
          "a reader that has run out has nothing",
          LeaseTables::make,
          (race, mutation) ->
              given(race)
                  .given(new Place(KEY, "Dead", true, 0, LeaseTables.PAST))
                  .actor("Ana", ds -> new LeaseActor("Ana", WRITE, mutation, ds).work(null))
                  .actor("Dead", ds -> noteWhatItHas(new LeaseActor("Dead", READ, mutation, ds)))
                  .invariant("it is taken over", "select times = 1 from work"));

  static final Program WAITING =
      new Program(
          "who waits in the queue has nothing",
          LeaseTables::make,
          (race, mutation) ->
              given(race)
                  .given(new Place(KEY, "Dead", false, 1, LeaseTables.FUTURE))
                  .actor("Ana", ds -> new LeaseActor("Ana", WRITE, mutation, ds).work(null))
                  .actor("Dead", ds -> noteWhatItHas(new LeaseActor("Dead", READ, mutation, ds))));

  /** What it asks for has just not run out when it begins. */
  private static final Mutation IN_TIME =
      Mutation.none()
          .rewriting(
              "held = true AND expires_at > ",
              "AND expires_at > ",
              "AND timestamp '2099-01-01 00:00:00' > ");

  /** The renewal began in time, and what it has written is seen only later. */
  static final Program RENEWED_LATE =
      new Program(
          "a reader that was renewed at the last moment still reads",
          LeaseTables::make,
          (race, mutation) ->
              given(race)
                  .given(new Place(KEY, "Dead", true, 0, LeaseTables.PAST))
                  .actor("Ana", ds -> new LeaseActor("Ana", WRITE, mutation, ds).enterIfFree())
                  .actor("Dead", ds -> new LeaseActor("Dead", READ, IN_TIME, ds).renew())
                  .invariant(
                      "one of both",
                      "select times + (select count(*) from holdfast_lease_entry where holder ="
                          + " 'Dead' and expires_at > timestamp '2021-01-01 00:00:00') = 1 from"
                          + " work"));

  static final Program FORCED =
      new Program(
          "a reader that was thrown out can neither renew nor release",
          LeaseTables::make,
          (race, mutation) ->
              given(race)
                  .given(new Place(KEY, "Dead", true, 0, LeaseTables.FUTURE))
                  .actor(
                      "Dead",
                      ds -> {
                        LeaseActor dead = new LeaseActor("Dead", READ, mutation, ds);
                        dead.renew();
                        dead.release();
                      })
                  .actor(
                      "Ana",
                      ds -> {
                        LeaseActor ana = new LeaseActor("Ana", WRITE, mutation, ds);
                        ana.force();
                        ana.work(null);
                      })
                  .invariant("it is free then", "select times = 1 from work"));

  static final Program FORCED_BESIDE =
      new Program(
          "who waits is not thrown out, and keeps its time",
          LeaseTables::make,
          (race, mutation) ->
              given(race)
                  .given(new Place(KEY, "Dead", true, 0, LeaseTables.FUTURE))
                  .given(new Place(KEY, "Ben", false, 2, LeaseTables.FUTURE))
                  .given(new Place(KEY, "Old", false, 1, LeaseTables.PAST))
                  .actor("Cem", ds -> new LeaseActor("Cem", READ, mutation, ds).force())
                  .actor(
                      "Ana",
                      ds -> {
                        LeaseActor ana = new LeaseActor("Ana", READ, mutation, ds);
                        ana.ask(LeaseActor.MARKED);
                        ana.ask(LeaseActor.MARKED);
                      })
                  .invariant(
                      "Ben waits",
                      "select count(*) = 1 from holdfast_lease_entry where name = 'lease' and kind"
                          + " = 1 and holder = 'Ben' and expires_at = timestamp '2099-01-01"
                          + " 00:00:00'")
                  .invariant(
                      "Ana is behind him, once",
                      "select count(*) = 1 from holdfast_lease_entry where name = 'lease' and kind"
                          + " = 1 and holder = 'Ana' and held = false and arrival = 6"));

  static final Program QUEUE_FIRST =
      new Program(
          "a new lease with a queue has one holder at a time",
          LeaseTables::make,
          (race, mutation) ->
              both(
                  LeaseTables.holding(race).given(LeaseTables.work(0)),
                  mutation,
                  QUEUED,
                  LeaseActor.QUEUED));

  static final Program QUEUE_NEXT =
      new Program(
          "a lease with a queue has one holder at a time",
          LeaseTables::make,
          (race, mutation) ->
              both(
                  LeaseTables.holding(race)
                      .given(LeaseTables.work(LeaseTables.TOKEN))
                      .given(LeasePrograms.FREE),
                  mutation,
                  QUEUED,
                  LeaseActor.QUEUED));

  static final Program QUEUE_OR_NOT =
      new Program(
          "a lease has one holder, from the queue or not",
          LeaseTables::make,
          (race, mutation) ->
              LeaseTables.holding(race)
                  .given(LeaseTables.work(LeaseTables.TOKEN))
                  .given(LeasePrograms.RUN_OUT)
                  .actor("Ana", ds -> queued("Ana", mutation, ds).work(LeaseActor.QUEUED))
                  .actor("Ben", ds -> queued("Ben", mutation, ds).work(LeaseActor.MARKED))
                  .invariant("somebody gets it", "select times >= 1 from work"));

  static final Program QUEUE_IN_ORDER =
      new Program(
          "who came first is first, and the others keep their places",
          LeaseTables::make,
          (race, mutation) ->
              LeaseTables.holding(race)
                  .given(LeaseTables.work(LeaseTables.TOKEN))
                  .given(LeasePrograms.FREE)
                  .given(new Place(QUEUED.key(), "Dead", false, 1, LeaseTables.FUTURE))
                  .given(new Place(QUEUED.key(), "Cem", false, 2, LeaseTables.FUTURE))
                  .actor("Ana", ds -> queued("Ana", mutation, ds).work(LeaseActor.QUEUED))
                  .actor("Dead", ds -> queued("Dead", mutation, ds).work(LeaseActor.QUEUED))
                  .invariant("the first", "select first = 'Dead' and times = 1 from work")
                  .invariant(
                      "the others",
                      "select count(*) = 2 from holdfast_lease_entry where kind = 0 and name ="
                          + " 'lease' and ((holder = 'Cem' and arrival = 2) or (holder = 'Ana' and"
                          + " arrival = 6))"));

  static final Program QUEUE_LEFT =
      new Program(
          "who leaves the queue leaves it alone",
          LeaseTables::make,
          (race, mutation) ->
              LeaseTables.holding(race)
                  .given(LeaseTables.work(LeaseTables.TOKEN))
                  .given(LeasePrograms.FREE)
                  .given(new Place(QUEUED.key(), "Dead", false, 1, LeaseTables.FUTURE))
                  .given(new Place(QUEUED.key(), "Cem", false, 2, LeaseTables.FUTURE))
                  .actor("Dead", ds -> queued("Dead", mutation, ds).release())
                  .actor("Cem", ds -> queued("Cem", mutation, ds).work(LeaseActor.QUEUED))
                  .invariant(
                      "Dead is gone, and Cem is in, or was",
                      "select (select count(*) from holdfast_lease_entry where kind = 0 and name ="
                          + " 'lease' and holder = 'Cem') + times = 1 and (select count(*) from"
                          + " holdfast_lease_entry where holder = 'Dead') = 0 from work"));

  static final List<Program> ALL =
      List.of(
          FIRST,
          NEXT,
          READ_OR_WRITTEN,
          PERMITTED,
          DEAD,
          WAITING,
          RENEWED_LATE,
          FORCED,
          FORCED_BESIDE,
          QUEUE_FIRST,
          QUEUE_NEXT,
          QUEUE_OR_NOT,
          QUEUE_IN_ORDER,
          QUEUE_LEFT);

  private SharedLeasePrograms() {}

  private static LeaseActor queued(String who, Mutation mutation, DataSource dataSource) {
    return new LeaseActor(who, QUEUED, mutation, dataSource);
  }

  private static Race given(Race race) {
    return LeaseTables.holding(race).given(LeaseTables.work(LeaseTables.TOKEN)).given(ROW);
  }

  /** Ana asks for this, and Ben for all of it. */
  private static void both(
      Race race, Mutation mutation, Target target, @Nullable WaitRegistration waiting) {
    Target all = target.key().equals(KEY) ? WRITE : target;
    race.actor("Ana", ds -> new LeaseActor("Ana", target, mutation, ds).work(waiting))
        .actor("Ben", ds -> new LeaseActor("Ben", all, mutation, ds).work(waiting))
        .invariant("somebody gets it", "select times >= 1 from work");
  }

  private static void noteWhatItHas(LeaseActor hands) throws SQLException {
    if (hands.renew() || !(hands.release() instanceof ReleaseResult.Lost)) {
      hands.note("had");
    }
  }
}
