package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.LeaseLostException;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.IdempotencyResult.Executed;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ResultTooLargeException;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimRequest;
import dev.holdfast.idempotency.spi.IdempotencyStore.ClaimResult;
import dev.holdfast.internal.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.CommitUnknownException;
import dev.holdfast.transaction.Transactions;
import dev.holdfast.workflow.OpenWorkflow;
import dev.holdfast.workflow.StepContext;
import dev.holdfast.workflow.Workflows;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Steps that are committed together with rows of the business. */
public abstract class SqlWorkflowStepContract extends SqlStepTests {
  protected SqlWorkflowStepContract(TestDatabase database) {
    super(database);
  }

  @Test
  void transactionalStepRunsOnce() throws Exception {
    assertThatThrownBy(
            () ->
                claims.run(
                    IdempotencyRequest.of(key("x"), WorkflowTests.TEXT).fingerprint(PAYLOAD),
                    claim -> {
                      claim.transactionalStep("order", WorkflowTests.TEXT, tx -> order(tx, "a"));
                      throw new IOException("later");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(orders()).isEqualTo(1);
    assertThat(record("x").steps()).containsExactly("order");

    assertThat(
            claims.run(
                IdempotencyRequest.of(key("x"), WorkflowTests.TEXT).fingerprint(PAYLOAD),
                claim ->
                    claim.transactionalStep("order", WorkflowTests.TEXT, tx -> order(tx, "a"))))
        .isEqualTo(new Executed<>("a 1"));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void whatAFailingStepHasChangedIsRolledBack() throws Exception {
    OpenWorkflow claim = open(claims, key("x"));

    assertThatThrownBy(
            () ->
                claim.transactionalStep(
                    "order",
                    WorkflowTests.TEXT,
                    tx -> {
                      order(tx, "a");
                      throw new IOException("failed");
                    }))
        .isInstanceOf(IOException.class);
    OpenWorkflow small = open(with(o -> o.maxResultSize(2)), key("y"));
    assertThatThrownBy(
            () -> small.transactionalStep("order", WorkflowTests.TEXT, tx -> order(tx, "large")))
        .isInstanceOf(ResultTooLargeException.class);

    assertThat(orders()).isZero();
    assertThat(record("x").steps()).isEmpty();
    assertThat(claim.completedSteps()).isEmpty();
    assertThat(claim.isLeaseValid()).isTrue();
    claim.release();
    small.release();
  }

  @Test
  void aZombieCommitsNothing() throws Exception {
    ClaimRequest zombie = request("x", SHORT);
    granted(zombie);
    ClaimRequest thief = request("x");
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;
    Transactions transactions = Transactions.on(schema.dataSource());
    takenOver(thief);

    boolean recorded = transactions.call(tx -> own.record(tx, hold(zombie), step("order", "z")));

    assertThat(recorded).isFalse();
    OpenWorkflow lost = open(claims, key("y"));
    assertThatThrownBy(
            () ->
                lost.transactionalStep(
                    "order",
                    WorkflowTests.TEXT,
                    tx -> {
                      schema.execute("update holdfast_idempotency set released = true");
                      return order(tx, "zombie");
                    }))
        .isInstanceOf(LeaseLostException.class);
    assertThat(orders()).isZero();
    assertThat(lost.isLeaseValid()).isFalse();
    assertThat(record("y").steps()).isEmpty();
  }

  @Test
  void transactionalStepKeepsLaterLease() throws Exception {
    ClaimRequest held = request("x", Duration.ofSeconds(30));
    granted(held);
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;
    boolean recorded =
        Transactions.on(schema.dataSource())
            .call(
                tx -> {
                  // the clock of a transaction may stand still from here on
                  try (PreparedStatement clock =
                      tx.connection().prepareStatement("select current_timestamp")) {
                    clock.executeQuery().close();
                  }
                  assertThat(store.renew(hold(held), LONG)).isTrue();
                  return own.record(tx, hold(held), step("order", "1"));
                });
    assertThat(recorded).isTrue();
    assertThat(busy(request("x")).leaseRemaining()).isGreaterThan(LONG.minusMinutes(1));
  }

  @Test
  void doesNotRepeatStepWithUnknownCommit() throws Exception {
    AtomicInteger commits = new AtomicInteger();
    FaultyDataSource faulty =
        new FaultyDataSource(schema.dataSource())
            .afterCommit(
                connection -> {
                  if (commits.incrementAndGet() == 1) {
                    connection.abort(Runnable::run);
                    throw FaultyDataSource.connectionLost();
                  }
                });
    Workflows unlucky = with(Transactions.on(faulty.dataSource()), o -> o);

    assertThatThrownBy(
            () ->
                unlucky.run(
                    IdempotencyRequest.of(key("x"), ReplyCodecs.text()).fingerprint(PAYLOAD),
                    claim -> {
                      assertThatThrownBy(() -> order(claim))
                          .isInstanceOf(CommitUnknownException.class);
                      return order(claim);
                    }))
        .isInstanceOf(LeaseLostException.class);

    assertThat(orders()).isEqualTo(1);
    assertThat(
            claims.run(
                IdempotencyRequest.of(key("x"), ReplyCodecs.text()).fingerprint(PAYLOAD),
                this::order))
        .isEqualTo(new Executed<>("o"));
    assertThat(orders()).isEqualTo(1);
  }

  private String order(StepContext claim) throws SQLException {
    return claim.transactionalStep(
        "order",
        ReplyCodecs.text(),
        tx -> {
          try (PreparedStatement insert =
              tx.connection().prepareStatement("insert into orders values ('o')")) {
            insert.executeUpdate();
          }
          return "o";
        });
  }

  @Test
  void blockedTransactionDoesNotBlockOthers() throws Exception {
    ClaimRequest stopped = request("x", Duration.ofSeconds(2));
    granted(stopped);
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;

    boolean recorded =
        Transactions.on(schema.dataSource())
            .call(
                tx -> {
                  boolean held = own.record(tx, hold(stopped), step("order", "1"));
                  assertThat(busy(request("x"))).isNotNull();
                  assertThat(store.claim(with(OTHER_PAYLOAD, request("x"))))
                      .isInstanceOf(ClaimResult.KeyReused.class);
                  await("the claim must run out", () -> status("x") == Status.INTERRUPTED);
                  // the row is locked: nobody can take it, and nobody waits for it
                  assertThat(busy(request("x")).leaseRemaining()).isNull();
                  return held;
                });

    assertThat(recorded).isTrue();
    assertThat(takenOver(request("x")).steps()).containsExactly(step("order", "1"));
  }
}
