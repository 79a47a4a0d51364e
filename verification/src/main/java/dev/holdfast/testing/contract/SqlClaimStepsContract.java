package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Claim;
import dev.holdfast.idempotency.ClaimLostException;
import dev.holdfast.idempotency.Claims;
import dev.holdfast.idempotency.IdempotencyRecord.Status;
import dev.holdfast.idempotency.IdempotencyStore.Claimed;
import dev.holdfast.idempotency.IdempotencyStore.Request;
import dev.holdfast.idempotency.OnceResult.Executed;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.idempotency.ReplyTooLargeException;
import dev.holdfast.idempotency.TransactionalIdempotencyStore;
import dev.holdfast.sql.CommitUnknownException;
import dev.holdfast.sql.Transactions;
import dev.holdfast.testing.TestDatabase;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Steps that are committed together with rows of the business. */
public abstract class SqlClaimStepsContract extends SqlStepTests {
  protected SqlClaimStepsContract(TestDatabase database) {
    super(database);
  }

  @Test
  void aStepInATransactionIsCommittedWithItsRowsAndNotRunAgain() throws Exception {
    assertThatThrownBy(
            () ->
                claims.run(
                    key("x"),
                    PAYLOAD,
                    ClaimTests.TEXT,
                    claim -> {
                      claim.stepInTransaction("order", ClaimTests.TEXT, tx -> order(tx, "a"));
                      throw new IOException("later");
                    }))
        .isInstanceOf(IOException.class);
    assertThat(orders()).isEqualTo(1);
    assertThat(record("x").steps()).containsExactly("order");

    assertThat(
            claims.run(
                key("x"),
                PAYLOAD,
                ClaimTests.TEXT,
                claim -> claim.stepInTransaction("order", ClaimTests.TEXT, tx -> order(tx, "a"))))
        .isEqualTo(new Executed<>("a 1"));
    assertThat(orders()).isEqualTo(1);
  }

  @Test
  void whatAFailingStepHasChangedIsRolledBack() throws Exception {
    Claim claim = open(claims, key("x"));

    assertThatThrownBy(
            () ->
                claim.stepInTransaction(
                    "order",
                    ClaimTests.TEXT,
                    tx -> {
                      order(tx, "a");
                      throw new IOException("failed");
                    }))
        .isInstanceOf(IOException.class);
    Claim small = open(claims.largestReply(2), key("y"));
    assertThatThrownBy(
            () -> small.stepInTransaction("order", ClaimTests.TEXT, tx -> order(tx, "large")))
        .isInstanceOf(ReplyTooLargeException.class);

    assertThat(orders()).isZero();
    assertThat(record("x").steps()).isEmpty();
    assertThat(claim.steps()).isEmpty();
    assertThat(claim.isHeld()).isTrue();
    claim.release();
    small.release();
  }

  @Test
  void aZombieCommitsNothing() throws Exception {
    Request zombie = request("x", SHORT);
    granted(zombie);
    Request thief = request("x");
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;
    Transactions transactions = Transactions.on(schema.dataSource());
    takenOver(thief);

    boolean recorded = transactions.call(tx -> own.record(tx, hold(zombie), step("order", "z")));

    assertThat(recorded).isFalse();
    Claim lost = open(claims, key("y"));
    assertThatThrownBy(
            () ->
                lost.stepInTransaction(
                    "order",
                    ClaimTests.TEXT,
                    tx -> {
                      schema.execute("update holdfast_idempotency set released = true");
                      return order(tx, "zombie");
                    }))
        .isInstanceOf(ClaimLostException.class);
    assertThat(orders()).isZero();
    assertThat(lost.isHeld()).isFalse();
    assertThat(record("y").steps()).isEmpty();
  }

  @Test
  void aStepInATransactionDoesNotSetTheClaimBack() throws Exception {
    Request held = request("x", Duration.ofSeconds(30));
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
    assertThat(busy(request("x")).left()).isGreaterThan(LONG.minusMinutes(1));
  }

  @Test
  void aStepWhoseCommitIsUnknownIsNotDoneAgainByTheSameAttempt() throws Exception {
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
    Claims unlucky =
        Holdfast.create(schema.dataSource())
            .idempotency()
            .transactions(Transactions.on(faulty.dataSource()))
            .claims()
            .lease(LONG)
            .waiting(Duration.ZERO);

    assertThatThrownBy(
            () ->
                unlucky.run(
                    key("x"),
                    PAYLOAD,
                    ReplyCodecs.text(),
                    claim -> {
                      assertThatThrownBy(() -> order(claim))
                          .isInstanceOf(CommitUnknownException.class);
                      return order(claim);
                    }))
        .isInstanceOf(ClaimLostException.class);

    assertThat(orders()).isEqualTo(1);
    assertThat(claims.run(key("x"), PAYLOAD, ReplyCodecs.text(), this::order))
        .isEqualTo(new Executed<>("o"));
    assertThat(orders()).isEqualTo(1);
  }

  private String order(Claim claim) throws SQLException {
    return claim.stepInTransaction(
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
  void aTransactionThatIsStoppedBeforeItsCommitHoldsUpNobody() throws Exception {
    Request stopped = request("x", Duration.ofSeconds(2));
    granted(stopped);
    TransactionalIdempotencyStore own = (TransactionalIdempotencyStore) store;

    boolean recorded =
        Transactions.on(schema.dataSource())
            .call(
                tx -> {
                  boolean held = own.record(tx, hold(stopped), step("order", "1"));
                  assertThat(busy(request("x"))).isNotNull();
                  assertThat(store.claim(with(OTHER_PAYLOAD, request("x"))))
                      .isInstanceOf(Claimed.OtherPayload.class);
                  await("the claim must run out", () -> status("x") == Status.ABANDONED);
                  // the row is locked: nobody can take it, and nobody waits for it
                  assertThat(busy(request("x")).left()).isNull();
                  return held;
                });

    assertThat(recorded).isTrue();
    assertThat(takenOver(request("x")).steps()).containsExactly(step("order", "1"));
  }
}
