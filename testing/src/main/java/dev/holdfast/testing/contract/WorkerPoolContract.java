package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Workers whose handlers want more connections than there are, or more time than others have. */
public abstract class WorkerPoolContract extends EventContract {
  private static final Duration LEASE = Duration.ofSeconds(1);

  protected WorkerPoolContract(TestDatabase database) {
    super(database);
  }

  @Test
  void handlersThatTakeAllConnectionsDoNotKeepTheHeartFromBeating() {
    schema.execute("create table effects (id bigint)");
    List<EventId> ids = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      ids.add(schedule(TEXT.event("a" + i)));
    }
    start(
        Holdfast.using(schema.dataSource(4)),
        worker ->
            worker
                .lease(LEASE)
                .handleInTransaction(
                    TEXT,
                    (text, tx, context) -> {
                      Sql.execute(tx.connection(), "insert into effects values (1)");
                      // longer than the lease
                      long end = System.nanoTime() + 2 * LEASE.toNanos();
                      await(() -> "time", () -> System.nanoTime() - end > 0);
                    }));
    ids.forEach(id -> awaitStatus(id, EventStatus.COMPLETED));
    assertThat(schema.count("select count(*) from effects")).isEqualTo(6);
  }

  @Test
  void aWorkerOnAPoolThatCannotBeEnoughIsRefused() {
    assertThatThrownBy(
            () ->
                Holdfast.using(schema.dataSource(1))
                    .worker()
                    .handle(TEXT, (text, context) -> {})
                    .start())
        .hasMessageContaining("the pool of a worker must have at least");
  }

  /** Several times, because what it hoards is taken between one step of it and the next. */
  @RepeatedTest(5)
  void whatABusyInstanceCannotBeginIsLeftToOthers() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    EventId held = schedule(TEXT.event("held"));
    EventId next = schedule(TEXT.event("next"));
    start(
        worker ->
            worker
                .queue("default", 1)
                .handle(
                    TEXT,
                    (text, context) -> {
                      begun.countDown();
                      await(go);
                    }));
    await(begun);
    start(worker -> worker.queue("default", 1).handle(TEXT, (text, context) -> {}));
    awaitStatus(next, EventStatus.COMPLETED);
    assertThat(found(held).status()).isEqualTo(EventStatus.PROCESSING);
    go.countDown();
  }
}
