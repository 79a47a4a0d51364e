package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.ManualWorker;
import dev.holdfast.event.Outcome;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestWorker;
import dev.holdfast.transaction.DatabaseException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The lease, the limits and the leftovers of workers driven by hand. */
public abstract class ManualWorkerLeaseContract extends ManualWorkerTests {
  protected ManualWorkerLeaseContract(TestDatabase database) {
    super(database);
  }

  private TestWorker noting() {
    return test.worker(worker -> worker.handle(TEXT, (payload, context) -> note(payload)));
  }

  @Test
  void staleOwnerCannotComplete() {
    EventId id = schedule(TEXT.event("a"));
    TestWorker second = noting();
    TestWorker first =
        test.worker(
            w ->
                w.handle(
                    EventHandler.returning(
                        TEXT,
                        (payload, context) -> {
                          // as long as no lease lasts
                          test.clock().advance(Duration.ofDays(1));
                          assertThat(second.runDue()).hasSize(1);
                          return Outcome.fail("by the first");
                        })));
    assertThat(first.runDue().get(0).failure()).isEmpty();
    assertThat(seen).containsExactly("a PT24H");
    assertThat(found(id).status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(found(id).crashes()).isEqualTo(1);
  }

  @Test
  void aHandlerMayMoveTheClockPastTheLease() {
    schedule(TEXT.event("slow").priority(9));
    schedule(TEXT.event("next"));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    TEXT,
                    (payload, context) -> {
                      note(payload);
                      test.clock().advance(Duration.ofDays(2));
                    }));
    assertThat(statuses(worker.advance(HOUR))).containsOnly(EventStatus.COMPLETED).hasSize(2);
    assertThat(seen).containsExactly("slow PT0S", "next PT48H");
    assertThat(test.clock().instant()).isEqualTo(NOON.plus(Duration.ofDays(4)));
  }

  @Test
  void nextCallStoresUnstoredOutcomes() {
    AtomicInteger failures = new AtomicInteger();
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains("INSERT INTO holdfast_event_history"),
                connection -> {
                  if (failures.incrementAndGet() == 1) {
                    throw FaultyDataSource.connectionLost();
                  }
                });
    ManualWorker worker =
        Holdfast.create(faulty.dataSource())
            .worker()
            .handle(TEXT, (payload, context) -> seen.add(payload))
            .buildManual();
    EventId id = schedule(TEXT.event("a"));
    assertThatThrownBy(worker::handleNext).isInstanceOf(DatabaseException.class);
    assertThat(found(id).status()).isEqualTo(EventStatus.PROCESSING);
    assertThat(worker.handleNext()).isEmpty();
    EventRecord ended = found(id);
    assertThat(ended.status()).isEqualTo(EventStatus.COMPLETED);
    assertThat(ended.attempts()).isEqualTo(1);
    assertThat(seen).containsExactly("a");
  }

  @Test
  void leaseCoversHandlerTimeoutUpToOneHour() {
    TestWorker second = noting();
    TestWorker first =
        test.worker(
            w ->
                w.handle(
                    EventHandler.of(
                            TEXT,
                            (payload, context) -> {
                              test.clock().advance(HOUR.minus(MINUTE));
                              assertThat(second.runDue()).isEmpty();
                              test.clock().advance(MINUTE.multipliedBy(2));
                              assertThat(second.runDue()).hasSize(1);
                            })
                        .timeout(HOUR.multipliedBy(2))));
    schedule(TEXT.event("a"));
    assertThat(first.runDue()).extracting(one -> one.failure().isPresent()).containsExactly(false);
    assertThat(seen).containsExactly("a PT1H1M");
  }

  @Test
  void limitsAreKept() {
    queues.setLimit(QueueLimit.queue("default").rateLimit(1, HOUR));
    schedule(TEXT.event("a"));
    schedule(TEXT.event("b"));
    TestWorker worker = noting();
    assertThat(worker.runDue()).hasSize(1);
    assertThat(worker.runDue()).isEmpty();
    test.clock().advance(HOUR);
    assertThat(worker.runDue()).hasSize(1);
    assertThat(seen).containsExactly("a PT0S", "b PT1H");
  }

  @Test
  void anInterruptOfTheCallerIsNotLost() {
    EventId id = schedule(TEXT.event("a"));
    TestWorker worker =
        test.worker(
            w ->
                w.handle(
                    EventHandler.of(
                            TEXT,
                            (payload, context) -> {
                              throw new InterruptedException();
                            })
                        .retry(RetryPolicy.standard().attempts(1))));
    assertThat(worker.runDue()).hasSize(1);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(found(id).attempts()).isEqualTo(1);
  }

  @Test
  void itLeavesNoLeaseBehindAndForgetsOldOnes() {
    TestWorker worker = noting();
    for (int day = 0; day < 250; day++) {
      worker.advance(Duration.ofDays(1));
    }
    assertThat(schema.count("select count(*) from holdfast_instance where not stopped")).isZero();
    assertThat(schema.count("select count(*) from holdfast_instance")).isLessThan(120);
  }
}
