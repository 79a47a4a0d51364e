package dev.holdfast.race.own;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.race.Crash;
import dev.holdfast.race.RaceReport;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Holdfast's events survive crashes at every step. */
class OwnCrashIT {
  private final TestSchema schema = TestDatabase.postgreSql().newSchema();

  @BeforeEach
  void make() {
    WorkerPrograms.make(schema);
  }

  @AfterEach
  void close() {
    schema.close();
  }

  @Test
  void schedulingWithAKeyAgainMakesOneEvent() {
    CrashExploration.everyCrash(
        TestDatabase.postgreSql(),
        crash()
            .operation(
                ds ->
                    Holdfast.create(ds)
                        .events()
                        .schedule(KeyPrograms.TYPE.event("x").queue("q").key("k"))));
  }

  @Test
  void schedulingWithoutAKeyAgainMakesAnother() {
    RaceReport report =
        crash()
            .operation(
                ds -> Holdfast.create(ds).events().schedule(KeyPrograms.TYPE.event("x").queue("q")))
            .explore();
    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.NOT_IDEMPOTENT);
  }

  @Test
  void transactionalHandlerIsAtomic() {
    CrashExploration.everyCrash(
        TestDatabase.postgreSql(),
        crash()
            .given(EventTables.pending(1))
            .operation(
                ds -> {
                  WorkerPrograms.leasesRunOut(ds);
                  WorkerPrograms.work(ds);
                })
            .invariant(
                "once, if and only if the event is completed",
                "select (select count(*) from deeds) = (select count(*) from"
                    + " holdfast_event_history where status = 2)")
            .invariant(
                "no event is lost or doubled",
                "select (select count(*) from holdfast_event) + (select count(*) from"
                    + " holdfast_event_history) = 1"));
  }

  @Test
  void handlerWithOwnTransactionMayRepeat() {
    RaceReport report =
        crash()
            .timeLimit(Duration.ofMinutes(1))
            .given(EventTables.pending(1))
            .operation(
                ds -> {
                  WorkerPrograms.leasesRunOut(ds);
                  WorkerPrograms.workApart(ds);
                })
            .invariant("at most once", "select count(*) <= 1 from deeds")
            .explore();
    assertThat(report.hasFinding()).as(report.text()).isTrue();
  }

  @Test
  void crashInCompletionIsAtomic() {
    CrashExploration.everyCrashInTurn(TestDatabase.postgreSql(), completing());
    RaceReport further = completing().explore();
    assertThat(further.hasFinding()).as(further.text()).isFalse();
  }

  private Crash completing() {
    return crash()
        .given(EventTables.instances(), EventTables.processing(1, EventTables.DEAD))
        .operation(ds -> new EventActor("Dead", EventTables.DEAD, Mutation.none(), ds).end(1, 2))
        .concurrentActor(
            "Ana",
            ds -> {
              EventActor ana = new EventActor("Ana", 1, Mutation.none(), ds);
              ana.rescue();
              ana.work(1);
            })
        .invariant("once at most", "select count(*) <= 1 from notes where what = 'ended'")
        .invariant(
            "it has ended if somebody was told so",
            "select (select count(*) from notes where what = 'ended') = (select count(*) from"
                + " holdfast_event_history)");
  }

  private Crash crash() {
    return Crash.create(schema.dataSource()).timeLimit(Duration.ofSeconds(15));
  }
}
