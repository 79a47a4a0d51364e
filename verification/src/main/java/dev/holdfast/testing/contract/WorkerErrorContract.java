package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Health;
import dev.holdfast.Holdfast;
import dev.holdfast.LeaseLostException;
import dev.holdfast.event.EventHandler;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventRecord;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.EventType;
import dev.holdfast.event.PayloadCodec;
import dev.holdfast.event.RetryPolicy;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Errors that are nobody's plan, in a handler or around it: no event stays in the hands of a worker
 * that lives, and no worker stops working while it keeps its lease.
 */
public abstract class WorkerErrorContract extends EventContract {
  /** So long that nothing in these tests waits for it. */
  private static final Duration LEASE = Duration.ofHours(1);

  private static final RetryPolicy AT_ONCE =
      RetryPolicy.standard().backoff(Duration.ZERO, Duration.ZERO).attempts(2);

  private static final EventType<Object[]> OBJECTS = EventType.of("objects", Object[].class);

  protected WorkerErrorContract(TestDatabase database) {
    super(database);
  }

  private static int recurse(int depth) {
    return depth < 0 ? 0 : recurse(depth + 1) + 1;
  }

  private EventRecord failed(RetryPolicy policy, EventHandler.Simple<String> handler) {
    return failed(EventHandler.of(TEXT, handler).retry(policy));
  }

  private EventRecord failed(EventHandler<String> handler) {
    EventId id = schedule(TEXT.event("a"));
    Worker worker =
        start(builder -> builder.leaseDuration(LEASE).queue("default", 1).handle(handler));
    EventRecord ended = awaitStatus(id, EventStatus.FAILED);
    await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
    return ended;
  }

  @Test
  void anErrorOfAHandlerIsAFailedAttempt() {
    EventRecord ended = failed(AT_ONCE, (payload, context) -> recurse(0));
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.error()).contains("StackOverflowError");
  }

  @Test
  void anErrorOfTheUsersRuleIsAFailedAttempt() {
    EventRecord ended =
        failed(
            EventHandler.<String>of(
                    TEXT,
                    (payload, context) -> {
                      throw new IllegalStateException("broken");
                    })
                .retry(AT_ONCE)
                .onFailure(
                    IllegalStateException.class,
                    failure -> {
                      throw new OutOfMemoryError("in the rule");
                    }));
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.error()).contains("in the rule");
  }

  /** A lease of the handler's own, which is not that of the event. */
  @Test
  void retriesTransactionalHandlerThatLosesItsLease() {
    EventRecord ended =
        failed(
            EventHandler.transactional(
                    TEXT,
                    (payload, tx, context) -> {
                      throw new LeaseLostException(
                          "lease-lost", "lease 'x'", OptionalLong.of(1), "it has expired", null);
                    })
                .retry(AT_ONCE));
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.error()).contains("it has expired");
  }

  @Test
  void unprintableExceptionIsFailedAttempt() {
    EventRecord ended =
        failed(
            AT_ONCE,
            (payload, context) -> {
              throw new Untold();
            });
    assertThat(ended.attempts()).isEqualTo(2);
    assertThat(ended.error()).contains("Untold");
  }

  private static final class Untold extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  @Test
  void unreadablePayloadIsFailedAttempt() {
    AtomicInteger reads = new AtomicInteger();
    Queue<String> errors = new ConcurrentLinkedQueue<>();
    PayloadCodec exhausted =
        new PayloadCodec() {
          @Override
          public String write(Object payload) {
            return "anything";
          }

          @Override
          public <P> P read(String text, Class<P> type) {
            if (reads.incrementAndGet() == 1) {
              throw new OutOfMemoryError("while reading");
            }
            return type.cast(new Object[0]);
          }
        };
    Holdfast other = Holdfast.builder(schema.dataSource()).codec(exhausted).build();
    EventId id = other.events().schedule(OBJECTS.event(new Object[0])).id();
    Worker worker =
        other
            .worker()
            .leaseDuration(LEASE)
            .pollInterval(Duration.ofMillis(20))
            .handle(
                EventHandler.of(
                        OBJECTS,
                        (payload, context) ->
                            errors.add(String.valueOf(found(context.id()).error())))
                    .retry(AT_ONCE))
            .start();
    try {
      EventRecord ended = awaitStatus(id, EventStatus.COMPLETED);
      assertThat(ended.attempts()).isEqualTo(2);
      assertThat(ended.error()).as("it ended well").isNull();
      assertThat(errors).singleElement().asString().contains("while reading");
      await(() -> "nothing must be left in hands", () -> worker.inFlight() == 0);
    } finally {
      worker.stop(LIMIT);
    }
  }

  @Test
  void aWorkerGoesOnAfterAnErrorInItsClaim() {
    goesOnAfterAnErrorAt("claimed_at = ");
  }

  @Test
  void aWorkerGoesOnAfterAnErrorInACompletion() {
    goesOnAfterAnErrorAt("INSERT INTO holdfast_event_history");
  }

  @Test
  void aWorkerGoesOnAfterAnErrorInItsHeartbeat() {
    goesOnAfterAnErrorAt("INSERT INTO holdfast_instance");
  }

  @Test
  void aWorkerGoesOnAfterAnErrorInItsRecovery() {
    goesOnAfterAnErrorAt("holdfast_instance WHERE expires_at <= ");
  }

  private void goesOnAfterAnErrorAt(String statement) {
    AtomicInteger errors = new AtomicInteger();
    // until it was seen: it may be over in a millisecond
    AtomicBoolean seen = new AtomicBoolean();
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .onPrepare(
                sql -> sql.contains(statement),
                connection -> {
                  if (errors.incrementAndGet() <= 2 || !seen.get()) {
                    throw new OutOfMemoryError("at " + statement);
                  }
                });
    EventId id = schedule(TEXT.event("a"));
    Worker worker =
        start(
            Holdfast.create(faulty.dataSource()),
            builder ->
                builder
                    .leaseDuration(Duration.ofSeconds(2))
                    .handle(TEXT, (payload, context) -> {}));
    await(
        () -> "the trouble must be told",
        () ->
            worker.health().issues().stream()
                .anyMatch(issue -> issue.message().contains("at " + statement)));
    seen.set(true);
    assertThat(awaitStatus(id, EventStatus.COMPLETED).error()).isNull();
    await(
        () -> worker.health() + " must be well again",
        () -> worker.health().isWorking() && worker.health().issues().isEmpty());
    assertThat(errors).hasValueGreaterThan(2);
  }

  @Test
  void aWorkerThatIsStoppedHasNoLease() {
    Worker worker = start(builder -> builder.handle(TEXT, (payload, context) -> {}));
    await(() -> "it must have its lease", () -> worker.health().isWorking());
    worker.stop(LIMIT);
    assertThat(worker.health()).isEqualTo(Health.stopped());
  }
}
