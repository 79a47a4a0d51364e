package dev.holdfast.race.own;

import dev.holdfast.idempotency.Idempotency.DeleteResult;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.race.own.RecordTables.Row;
import java.util.List;
import javax.sql.DataSource;

/** The ends of records: what is forgotten and cleaned up, and what is not. */
final class RecordEndPrograms {
  static final Program FORGOTTEN =
      new Program(
          "what somebody works on is not forgotten",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.HELD)
                  .given(Row.claimed("Dead", RecordTables.PAST).of("gone1"))
                  .given(Row.claimed("Dead", RecordTables.FUTURE).lockReleasedBy().of("gone2"))
                  .given(Row.doneUntil(RecordTables.FUTURE).of("gone3"))
                  .given(Row.claimed("Dead", RecordTables.FUTURE).done("x").of("gone4"))
                  .given(Row.claimed("Dead", null).of("gone5"))
                  .actor("Ana", ds -> hands("Ana", mutation, ds).goOn())
                  .actor(
                      "Ben",
                      ds -> {
                        RecordActor ben = hands("Ben", mutation, ds);
                        DeleteResult unused = ben.store.delete(RecordTables.KEY);
                        for (String name : List.of("gone1", "gone2", "gone3", "gone4", "gone5")) {
                          if (ben.store.delete(RecordTables.key(name)) != DeleteResult.DELETED) {
                            ben.note("lost");
                          }
                        }
                      })
                  .maxPreemptions(2)
                  .invariant(
                      "what nobody works on is",
                      "select count(*) = 0 from holdfast_idempotency where idempotency_key like"
                          + " 'gone%'"));

  static final Program FORGOTTEN_AND_CLAIMED =
      new Program(
          "who claims what is forgotten at that moment works alone",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.RUN_OUT)
                  .actor("Ana", ds -> hands("Ana", mutation, ds).work())
                  .actor(
                      "Ben",
                      ds -> {
                        DeleteResult unused =
                            hands("Ben", mutation, ds).store.delete(RecordTables.KEY);
                      })
                  .invariant("Ana works", RecordTables.unlessBusy("select times = 1 from work")));

  static final Program COMPLETED_BESIDE_CLEAN_UP =
      new Program(
          "what is completed after its time is kept from then on",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.HELD.kept(RecordTables.PAST))
                  .actor("Ana", ds -> hands("Ana", mutation, ds).goOn())
                  .actor(
                      "Ben",
                      ds -> {
                        int unused = hands("Ben", mutation, ds).store.deleteExpired(10);
                      })
                  .invariant(
                      "it is there",
                      RecordTables.unlessBusy(
                          "select count(*) = 1" + RecordTables.RECORD + RecordTables.DONE)));

  static final Program TAKEN_BESIDE_CLEAN_UP =
      new Program(
          "what is taken over while its time ends is not cleaned up",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.RUN_OUT)
                  .actor("Ana", ds -> hands("Ana", mutation, ds).work())
                  .actor(
                      "Ben",
                      ds -> {
                        RecordActor ben = hands("Ben", mutation, ds);
                        ben.write(
                            "update holdfast_idempotency set expires_at = timestamp '2020-01-01"
                                + " 00:00:00' where idempotency_key = 'key' and attempts = 1");
                        int unused = ben.store.deleteExpired(10);
                      })
                  .maxPreemptions(3)
                  .invariant("Ana works", RecordTables.unlessBusy("select times = 1 from work"))
                  .invariant(
                      "it is there",
                      RecordTables.unlessBusy("select count(*) = 1" + RecordTables.RECORD)));

  static final Program FLOW_STAYS =
      new Program(
          "a flow that is not done is gone on with, however old it is",
          RecordTables::make,
          (race, mutation) ->
              RecordTables.beside(race)
                  .given(RecordTables.RUN_OUT.kept(RecordTables.PAST).flow("flow").step("first"))
                  .actor(
                      "Ana",
                      ds -> {
                        RecordActor ana = hands("Ana", mutation, ds);
                        if (ana.claim() instanceof ClaimResult.Granted granted) {
                          if (granted.steps().size() != 1) {
                            ana.note("lost");
                          }
                          ana.goOn();
                        }
                      })
                  .actor(
                      "Ben",
                      ds -> {
                        int unused = hands("Ben", mutation, ds).store.deleteExpired(10);
                      })
                  .invariant(
                      "it is there",
                      RecordTables.unlessBusy(
                          "select count(*) = 1" + RecordTables.RECORD + RecordTables.DONE)));

  private RecordEndPrograms() {}

  private static RecordActor hands(String who, Mutation mutation, DataSource dataSource) {
    return new RecordActor(who, mutation, dataSource);
  }
}
