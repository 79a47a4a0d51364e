package dev.holdfast.testing.contract;

import static dev.holdfast.transaction.Isolation.READ_COMMITTED;
import static dev.holdfast.transaction.Isolation.REPEATABLE_READ;
import static dev.holdfast.transaction.Isolation.SERIALIZABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.InvalidArgumentException;
import dev.holdfast.idempotency.Idempotency;
import dev.holdfast.idempotency.IdempotencyOptions;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore.LockResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.Workflows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Steps in transactions beside renewals and others who come, at every isolation. */
public abstract class SqlStepIsolationContract extends SqlStepTests {
  protected SqlStepIsolationContract(TestDatabase database) {
    super(database);
  }

  @Test
  void renewalDoesNotBlockStep() throws Exception {
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;
    for (Isolation isolation : List.of(READ_COMMITTED, REPEATABLE_READ, SERIALIZABLE)) {
      ClaimRequest held = request(isolation.name());
      granted(held);

      boolean recorded =
          Transactions.on(schema.dataSource())
              .isolation(isolation)
              .call(
                  tx -> {
                    LockResult locked = own.lock(tx, hold(held));
                    assertThat(locked).isNotEqualTo(LockResult.LOST);
                    read(tx);
                    assertThat(isRenewed(held)).isEqualTo(locked == LockResult.NOT_NEEDED);
                    return own.record(tx, hold(held), step("order", "1"));
                  });

      assertThat(recorded).as("at %s", isolation).isTrue();
      assertThat(record(isolation.name()).steps()).containsExactly("order");
      assertThat(store.release(hold(held), Duration.ZERO)).isTrue();
      LockResult after =
          Transactions.on(schema.dataSource())
              .isolation(isolation)
              .call(tx -> own.lock(tx, hold(held)));
      assertThat(after).as("what is given back").isNotEqualTo(LockResult.LOCKED);
    }
  }

  private static void read(Transaction tx) throws SQLException {
    try (PreparedStatement look = tx.connection().prepareStatement("select count(*) from orders")) {
      look.executeQuery().close();
    }
  }

  private boolean isRenewed(ClaimRequest held) throws InterruptedException {
    try {
      return soon(() -> store.renew(hold(held), LONG));
    } catch (DatabaseException locked) {
      assertThat(locked.isRetryable()).isTrue();
      return false;
    }
  }

  @Test
  void longStepCommitsAtRepeatableRead() throws Exception {
    Workflows repeatable =
        with(
            Transactions.on(schema.dataSource()).isolation(REPEATABLE_READ),
            o -> o.leaseDuration(Duration.ofSeconds(6)));

    assertThat(
            repeatable.run(
                IdempotencyRequest.of(key("x"), WorkflowTests.TEXT).fingerprint(PAYLOAD),
                claim ->
                    claim.transactionalStep(
                        "order",
                        WorkflowTests.TEXT,
                        tx -> {
                          read(tx);
                          // a third of the lease, after which it is renewed, and a bit
                          LockSupport.parkNanos(Duration.ofMillis(2300).toNanos());
                          return order(tx, "a");
                        })))
        .isEqualTo(new Executed<>("a 1"));

    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void rejectsNestedStepOfLockedRecord() throws Exception {
    boolean locks =
        Transactions.on(schema.dataSource())
            .isolation(REPEATABLE_READ)
            .call(
                tx -> {
                  ClaimRequest other = request("other");
                  granted(other);
                  return ((TransactionalIdempotencyStore) store).lock(tx, hold(other))
                      == LockResult.LOCKED;
                });
    Workflows repeatable =
        with(Transactions.on(schema.dataSource()).isolation(REPEATABLE_READ), o -> o);
    OpenWorkflow claim = open(repeatable, key("x"));

    claim.transactionalStep(
        "order",
        WorkflowTests.TEXT,
        tx -> {
          if (locks) {
            assertThatThrownBy(() -> soon(() -> claim.step("in", WorkflowTests.TEXT, () -> "no")))
                .isInstanceOf(InvalidArgumentException.class)
                .hasMessageContaining("before or after that step");
            assertThatThrownBy(() -> soon(claim::release))
                .isInstanceOf(InvalidArgumentException.class);
          }
          return order(tx, "a");
        });

    assertThat(claim.completedSteps()).containsExactly("order");
    assertThat(claim.step("after", WorkflowTests.TEXT, () -> "yes")).isEqualTo("yes");
    assertThat(claim.release()).isTrue();
  }

  @Test
  void renewalDoesNotWaitForSlowCommit() throws Exception {
    ClaimRequest slow = request("x");
    granted(slow);
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;

    boolean recorded =
        Transactions.on(schema.dataSource())
            .call(
                tx -> {
                  boolean held = own.record(tx, hold(slow), step("order", "1"));
                  for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> soon(() -> store.renew(hold(slow), LONG)))
                        .isInstanceOfSatisfying(
                            DatabaseException.class, e -> assertThat(e.isRetryable()).isTrue());
                    assertThatThrownBy(() -> soon(() -> store.release(hold(slow), Duration.ZERO)))
                        .isInstanceOf(DatabaseException.class);
                  }
                  return held;
                });

    assertThat(recorded).isTrue();
    assertThat(store.renew(hold(slow), LONG)).isTrue();
    assertThat(record("x").steps()).containsExactly("order");
  }

  @Test
  void duplicateDoesNotWaitForSlowCommit() throws Exception {
    ClaimRequest slow = request("x");
    granted(slow);
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;
    Idempotency impatient =
        Holdfast.builder(schema.dataSource())
            .idempotency(IdempotencyOptions.builder().waitTimeout(Duration.ZERO).build())
            .build()
            .idempotency();

    boolean recorded =
        Transactions.on(schema.dataSource())
            .call(
                tx -> {
                  boolean held = own.record(tx, hold(slow), step("order", "1"));
                  assertThat(
                          soon(
                              () ->
                                  impatient.execute(
                                      IdempotencyRequest.of(key("x"), WorkflowTests.TEXT)
                                          .fingerprint(PAYLOAD),
                                      other -> "no")))
                      .isInstanceOf(IdempotencyResult.InProgress.class);
                  return held;
                });

    assertThat(recorded).isTrue();
  }

  /** Not on the thread of the transaction: what waited for that would wait for ever. */
  private static <T> T soon(Supplier<T> action) throws InterruptedException {
    FutureTask<T> task = new FutureTask<>(action::get);
    new Thread(task, "beside").start();
    try {
      return task.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("it waits for the transaction", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    }
  }
}
