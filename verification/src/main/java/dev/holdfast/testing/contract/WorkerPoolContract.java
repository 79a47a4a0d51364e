package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Workers whose handlers want more connections than there are, or more time than others have. */
public abstract class WorkerPoolContract extends EventContract {
  private static final Duration LEASE = Duration.ofSeconds(5);

  protected WorkerPoolContract(TestDatabase database) {
    super(database);
  }

  /** The heart keeps one, and on PostgreSQL whoever listens another; the rest need one. */
  private int minPoolSize() {
    return database().name().equals("PostgreSQL") ? 3 : 2;
  }

  @Test
  void exhaustedPoolDoesNotStopHeartbeat() throws InterruptedException {
    schema.execute("create table effects (id bigint)");
    int free = 2;
    int pool = minPoolSize() - 1 + free;
    List<EventId> ids = new ArrayList<>();
    for (int i = 0; i < 3 * pool; i++) {
      ids.add(schedule(TEXT.event("a" + i)));
    }
    CountDownLatch begun = new CountDownLatch(free);
    CountDownLatch go = new CountDownLatch(1);
    AtomicInteger stopped = new AtomicInteger();
    start(
        Holdfast.create(schema.dataSource(pool)),
        worker ->
            worker
                .leaseDuration(LEASE)
                .handle(
                    EventHandler.transactional(
                        TEXT,
                        (text, tx, context) -> {
                          Sql.execute(tx.connection(), "insert into effects values (1)");
                          begun.countDown();
                          try {
                            await(go);
                          } catch (InterruptedException e) {
                            stopped.incrementAndGet();
                            throw e;
                          }
                        })));
    await(begun);
    // more handlers wait for a connection, so the heart has none but its own
    awaitRenewals(() -> stopped.get() == 0);
    assertThat(stopped).as("handlers that were stopped for want of a lease").hasValue(0);
    go.countDown();
    ids.forEach(id -> awaitStatus(id, EventStatus.COMPLETED));
    assertThat(schema.count("select count(*) from effects")).isEqualTo(ids.size());
  }

  /** Waits for three renewals of the lease, as long as that makes sense. */
  private void awaitRenewals(BooleanSupplier goOn) {
    for (int beat = 0; beat < 3; beat++) {
      String last = lease();
      await(
          () -> "the lease must be renewed, was " + last,
          () -> !lease().equals(last) || !goOn.getAsBoolean());
    }
  }

  private String lease() {
    return String.valueOf(
        schema.query("select expires_at from holdfast_instance order by id").get(0));
  }

  @Test
  void longRecoveryDoesNotStopHeartbeat() throws InterruptedException {
    CountDownLatch recovers = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    FaultyDataSource slow =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains("holdfast_instance WHERE expires_at <= "),
                connection -> {
                  recovers.countDown();
                  await(go);
                });
    Worker worker =
        start(
            Holdfast.create(slow.dataSource()),
            builder -> builder.leaseDuration(LEASE).handle(TEXT, (text, context) -> {}));
    await(recovers);
    awaitRenewals(() -> worker.health().isWorking());
    assertThat(worker.health().isWorking()).as("whether it has its lease").isTrue();
    go.countDown();
  }

  @Test
  void rejectsTooSmallPool() {
    for (int size = 1; size < minPoolSize(); size++) {
      Holdfast few = Holdfast.create(schema.dataSource(size));
      assertThatThrownBy(() -> few.worker().handle(TEXT, (text, context) -> {}).start())
          .isInstanceOf(InvalidArgumentException.class)
          .hasMessageContaining("the pool of a worker must have at least " + minPoolSize())
          .hasMessageEndingWith("had " + size);
    }
  }

  @Test
  void theSmallestPoolIsEnough() {
    EventId id = schedule(TEXT.event("a"));
    start(
        Holdfast.create(schema.dataSource(minPoolSize())),
        worker -> worker.handle(TEXT, (text, context) -> {}));
    awaitStatus(id, EventStatus.COMPLETED);
  }

  /** Several times, because what it hoards is taken between one step of it and the next. */
  @RepeatedTest(5)
  void busyInstanceLeavesEventsToOthers() throws InterruptedException {
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
