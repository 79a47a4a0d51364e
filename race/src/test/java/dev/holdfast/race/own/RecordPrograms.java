package dev.holdfast.race.own;

import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.race.Race;
import dev.holdfast.race.own.RecordTables.Row;
import dev.holdfast.workflow.Workflow;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;

/** Requests under claims: claiming, running out, giving back, completing, steps. */
final class RecordPrograms {
  static final Program FIRST =
      new Program(
          "a new request is worked on by one at a time, and done once",
          RecordTables::make,
          (race, mutation) -> both(RecordTables.beside(race), mutation));

  static final Program TAKEN_OVER =
      new Program(
          "a claim that has run out is taken over by one",
          RecordTables::make,
          (race, mutation) ->
              both(RecordTables.beside(race).given(RecordTables.RUN_OUT), mutation));

  static final Program NEXT =
      new Program(
          "a claim that was given back is taken by one",
          RecordTables::make,
          (race, mutation) ->
              both(RecordTables.beside(race).given(RecordTables.GIVEN_BACK), mutation));

  static final Program EXPIRED =
      new Program(
          "a key whose time is over is claimed by one",
          RecordTables::make,
          (race, mutation) ->
              both(
                  RecordTables.beside(race)
                      .given(Row.doneUntil(RecordTables.PAST))
                      .given(Row.doneUntil(RecordTables.PAST).of("old"))
                      .invariant(
                          "another old one is left alone",
                          "select count(*) = 1 from holdfast_idempotency where idempotency_key ="
                              + " 'old' and completed"),
                  mutation));

  static final Program KEPT_TOO_SHORT =
      new Program(
          "who works longer than its record is kept has it all the same",
          RecordTables::make,
          (race, mutation) ->
              answered(RecordTables.beside(race).given(Row.doneUntil(RecordTables.PAST)))
                  .actor("Ana", ds -> workLonger(hands("Ana", mutation, ds)))
                  .actor("Ben", ds -> workLonger(hands("Ben", mutation, ds))));

  static final Program DEAD =
      new Program(
          "who has run out has nothing, whoever takes it over",
          RecordTables::make,
          (race, mutation) ->
              answered(RecordTables.beside(race).given(RecordTables.RUN_OUT))
                  .actor("Ana", ds -> hands("Ana", mutation, ds).work())
                  .actor("Dead", ds -> late(hands("Dead", mutation, ds)))
                  .invariant(
                      "it is taken over",
                      RecordTables.unlessBusy("select coalesce(first, '') = 'Ana' from work")));

  static final Program OVERTAKEN =
      new Program(
          "who was overtaken changes nothing of the claim of another",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.RUN_OUT)
                  .actor("Ana", ds -> Objects.requireNonNull(hands("Ana", mutation, ds).claim()))
                  .actor("Dead", ds -> late(hands("Dead", mutation, ds)))
                  .invariant(
                      "it is Ana's, without an answer",
                      RecordTables.unlessBusy(
                          "select count(*) = 1"
                              + RecordTables.RECORD
                              + " and attempts = 2 and completed = false and released = false and"
                              + " steps is null")));

  static final Program GIVEN_BACK_BY_ANOTHER =
      new Program(
          "what another has given back, who was overtaken has not",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.RUN_OUT)
                  .actor(
                      "Ana",
                      ds -> {
                        RecordActor ana = hands("Ana", mutation, ds);
                        if (ana.claim() instanceof ClaimResult.Granted && !ana.release()) {
                          ana.note("lost");
                        }
                      })
                  .actor("Dead", ds -> late(hands("Dead", mutation, ds))));

  static final Program RELEASED =
      new Program(
          "who has given it back has nothing, and the next one has its steps",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.HELD)
                  .actor(
                      "Ana",
                      ds -> {
                        RecordActor ana = hands("Ana", mutation, ds);
                        if (!ana.record("first") || !ana.record("second") || !ana.release()) {
                          ana.note("lost");
                        }
                        if (any(ana.renew(), ana.record("late"), ana.complete())) {
                          ana.note("had");
                        }
                      })
                  .actor(
                      "Ben",
                      ds -> {
                        RecordActor ben = hands("Ben", mutation, ds);
                        if (ben.claim() instanceof ClaimResult.Granted granted) {
                          if (granted.steps().size() != 2) {
                            ben.note("lost");
                          }
                          ben.goOn();
                        }
                      }));

  static final Program RELEASED_ALONE =
      new Program(
          "giving back can be repeated",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.HELD)
                  .actor(
                      "Ana",
                      ds -> {
                        RecordActor ana = hands("Ana", mutation, ds);
                        boolean once = ana.release();
                        if (!ana.release() || !once) {
                          ana.note("lost");
                        }
                      })
                  .actor(
                      "Ben",
                      ds -> {
                        int unused = hands("Ben", mutation, ds).store.deleteExpired(10);
                      })
                  .invariant("it is given back", "select released = true" + RecordTables.RECORD));

  static final Program REPEATED =
      new Program(
          "a claim, a step and a completion can be repeated, and the first answer stays",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .actor("Ana", ds -> repeat(hands("Ana", mutation, ds)))
                  .actor("Ben", ds -> hands("Ben", mutation, ds).work())
                  .invariant(
                      "the first answer",
                      "select count(*) = 0 from notes where what = 'told again'"));

  static final Program OTHER_PAYLOAD =
      new Program(
          "who takes over has the payload of what it takes",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.RUN_OUT)
                  .actor(
                      "Ana",
                      ds -> {
                        RecordActor ana = hands("Ana", mutation, ds);
                        if (ana.claim() instanceof ClaimResult.Granted) {
                          ana.note("granted");
                        }
                      })
                  .actor(
                      "Ben",
                      ds -> {
                        RecordActor ben = hands("Ben", mutation, ds);
                        if (ben.store.delete(RecordTables.KEY) == DeleteResult.DELETED
                            && ben.claim(RecordTables.OTHER, RecordActor.LONG)
                                instanceof ClaimResult.Granted) {
                          ben.note("granted");
                          boolean unused = ben.release();
                        }
                      })
                  .invariant(
                      "one of them has it",
                      RecordTables.unlessBusy(
                          "select count(*) = 1 from notes where what = 'granted'"))
                  .invariant("not both", "select count(*) <= 1 from notes where what = 'granted'"));

  static final Program STEP_BESIDE_TAKE_OVER =
      new Program(
          "a step in a transaction takes effect once, whoever is overtaken",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(Row.claimed("Dead", RecordTables.FUTURE))
                  .actor(
                      "Dead",
                      ds -> {
                        boolean unused = hands("Dead", mutation, ds).recordOrder();
                      })
                  .actor(
                      "Ana",
                      ds -> {
                        RecordActor ana = hands("Ana", mutation, ds);
                        ana.write(RecordTables.TIME_PASSES);
                        if (ana.claim() instanceof ClaimResult.Granted granted
                            && granted.steps().isEmpty()
                            && !ana.recordOrder()) {
                          ana.note("lost");
                        }
                      })
                  .maxPreemptions(3)
                  .invariant(
                      "one order", RecordTables.unlessBusy("select count(*) = 1 from orders")));

  static final Program COMPLETERS =
      new Program(
          "an abandoned flow is gone on with by one",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.RUN_OUT.flow("flow"))
                  .given(RecordTables.HELD.flow("flow").of("busy"))
                  .given(RecordTables.RUN_OUT.flow("another").of("another"))
                  .given(RecordTables.RUN_OUT.flow("flow").done("x").of("over"))
                  .actor("Ana", ds -> completeFlows(hands("Ana", mutation, ds)))
                  .actor("Ben", ds -> completeFlows(hands("Ben", mutation, ds)))
                  .maxPreemptions(2)
                  .invariant("one order", "select count(*) = 1 from orders")
                  .invariant(
                      "it is done", "select count(*) = 1" + RecordTables.RECORD + RecordTables.DONE)
                  .invariant(
                      "the others are as they were",
                      "select count(*) = 3 from holdfast_idempotency where idempotency_key in"
                          + " ('busy', 'another', 'over') and attempts = 1"));

  static final List<Program> ALL =
      List.of(
          FIRST,
          TAKEN_OVER,
          NEXT,
          EXPIRED,
          KEPT_TOO_SHORT,
          DEAD,
          OVERTAKEN,
          GIVEN_BACK_BY_ANOTHER,
          RELEASED,
          RELEASED_ALONE,
          REPEATED,
          OTHER_PAYLOAD,
          RecordEndPrograms.FORGOTTEN,
          RecordEndPrograms.FORGOTTEN_AND_CLAIMED,
          RecordEndPrograms.COMPLETED_BESIDE_CLEAN_UP,
          RecordEndPrograms.TAKEN_BESIDE_CLEAN_UP,
          RecordEndPrograms.FLOW_STAYS,
          STEP_BESIDE_TAKE_OVER,
          COMPLETERS);

  private RecordPrograms() {}

  private static RecordActor hands(String who, Mutation mutation, DataSource dataSource) {
    return new RecordActor(who, mutation, dataSource);
  }

  private static Race both(Race race, Mutation mutation) {
    return answered(race)
        .actor("Ana", ds -> hands("Ana", mutation, ds).work())
        .actor("Ben", ds -> hands("Ben", mutation, ds).work());
  }

  /** It was worked on once, and whoever is told something is told what came out of that. */
  private static Race answered(Race race) {
    return race.invariant("one works", RecordTables.unlessBusy("select times = 1 from work"))
        .invariant(
            "its answer is told",
            "select count(*) = 0 from notes where what like 'told %' and what <> (select"
                + " concat('told ', first) from work)")
        .invariant(
            "it is done",
            RecordTables.unlessBusy(
                "select count(*) = 1" + RecordTables.RECORD + RecordTables.DONE));
  }

  /** Whether one of them is so, all of which have been done. */
  static boolean any(boolean... answers) {
    for (boolean answer : answers) {
      if (answer) {
        return true;
      }
    }
    return false;
  }

  /** Does what somebody does who does not know that it has lost its claim. */
  private static void late(RecordActor dead) throws SQLException {
    if (any(dead.renew(), dead.record("late"), dead.complete(), dead.release())) {
      dead.note("had");
    }
  }

  private static void workLonger(RecordActor hands) throws SQLException {
    ClaimResult claimed = hands.claim(RecordTables.PAYLOAD, RecordActor.OVER);
    if (claimed instanceof ClaimResult.Granted) {
      hands.goOn();
    } else {
      hands.told(claimed);
    }
  }

  /** Says everything twice, as after answers that were lost. */
  private static void repeat(RecordActor ana) throws SQLException {
    if (!(ana.claim() instanceof ClaimResult.Granted first)) {
      return;
    }
    if (!ana.claim().equals(first) || !ana.record("step") || !ana.record("step")) {
      ana.note("lost");
    }
    if (!(ana.claim() instanceof ClaimResult.Granted after) || after.steps().size() != 1) {
      ana.note("lost");
    }
    if (!ana.complete() || !ana.complete("again")) {
      ana.note("lost");
    }
    if (any(ana.renew(), ana.record("late"), ana.release())) {
      ana.note("had");
    }
    ana.ask();
  }

  private static void completeFlows(RecordActor hands) {
    Workflow<String, String> flow =
        new Workflow<>(
            "flow",
            ReplyCodecs.text(),
            ReplyCodecs.text(),
            (input, claim) -> claim.transactionalStep("order", ReplyCodecs.text(), hands::order));
    int unused = hands.holdfast.workflows().recovery(flow).recoverNow();
  }
}
