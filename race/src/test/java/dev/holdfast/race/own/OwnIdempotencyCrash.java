package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.LeaseLostException;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.race.Crash;
import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holdfast's idempotency records survive crashes at every step, on each database. */
abstract class OwnIdempotencyCrash {
  private static final String ONE_ORDER = "select count(*) = 1 from orders";
  private static final String DONE =
      "select count(*) = 1 from holdfast_idempotency where idempotency_key = 'key' and completed ="
          + " true";

  private final TestDatabase database;
  private final TestSchema schema;
  private final Crash crash;

  OwnIdempotencyCrash(TestDatabase database) {
    this.database = database;
    this.schema = database.newSchema();
    this.crash = Crash.create(schema.dataSource());
  }

  @BeforeEach
  void make() {
    RecordTables.make(schema);
  }

  @AfterEach
  void close() {
    schema.close();
  }

  @Test
  void repeatedRequestTakesEffectOnce() {
    CrashExploration.everyCrash(
        database,
        crash
            .operation(
                ds -> {
                  RecordActor hands = new RecordActor("Ana", Mutation.none(), ds);
                  hands
                      .idempotency()
                      .execute(
                          IdempotencyRequest.of(RecordTables.KEY, ReplyCodecs.text())
                              .fingerprint(RecordTables.PAYLOAD),
                          hands::order)
                      .orElseThrow();
                })
            .invariant("one order", ONE_ORDER)
            .invariant("its answer is kept", DONE));
  }

  @Test
  void requestWithoutRecordMayRepeat() {
    RaceReport report =
        crash
            .operation(
                ds -> {
                  RecordActor hands = new RecordActor("Ana", Mutation.none(), ds);
                  hands.write("insert into orders values ('Ana')");
                })
            .invariant("one order", ONE_ORDER)
            .explore();
    assertThat(report.hasFinding()).as(report.text()).isTrue();
  }

  @Test
  void claimedRequestResumesFromLastStep() {
    CrashExploration.everyCrash(
        database,
        crash
            .operation(this::chargeMailAndOrder)
            .invariant("one order", ONE_ORDER)
            .invariant("its answer is kept", DONE)
            .invariant("charged", connection -> between(1, crash.sideEffectCount("charge"), 2))
            .invariant("mailed", connection -> between(1, crash.sideEffectCount("mail"), 2))
            .invariant(
                "only the step that was under way is repeated",
                connection ->
                    crash.sideEffectCount("charge") + crash.sideEffectCount("mail") <= 3));
  }

  @Test
  void takeoverDoesNotRepeatOrder() {
    CrashExploration.everyCrashInTurn(
        database,
        crash
            .operation(this::chargeMailAndOrder)
            .concurrentActor("Ben", this::chargeMailAndOrder)
            .invariant("one order at most", "select count(*) <= 1 from orders")
            .invariant(
                "an order if it is done",
                "select count(*) = 0 from holdfast_idempotency where completed = true and not"
                    + " exists (select 1 from orders)"));
  }

  /** As somebody does who comes when the claim of who crashed has run out. */
  private void chargeMailAndOrder(DataSource dataSource) throws Exception {
    RecordActor hands = new RecordActor("Ana", Mutation.none(), dataSource);
    hands.write(RecordTables.TIME_PASSES);
    try {
      hands
          .holdfast
          .workflows()
          .run(
              IdempotencyRequest.of(RecordTables.KEY, ReplyCodecs.text())
                  .fingerprint(RecordTables.PAYLOAD)
                  .waitTimeout(Duration.ZERO),
              claim -> {
                for (String step : new String[] {"charge", "mail"}) {
                  String unused =
                      claim.step(
                          step,
                          ReplyCodecs.text(),
                          () -> {
                            crash.sideEffect(step);
                            return step;
                          });
                }
                return claim.transactionalStep("order", ReplyCodecs.text(), hands::order);
              });
    } catch (LeaseLostException e) {
      // whoever has it goes on
    }
  }

  private static boolean between(long least, long count, long most) {
    return count >= least && count <= most;
  }
}
