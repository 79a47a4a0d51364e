package dev.holdfast.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.ReplyCodecs;
import java.net.http.HttpResponse;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * What is told of a request whose transaction of Spring ends otherwise than it says: the truth, as
 * its record has it.
 */
class SpringCommitIT extends SpringRequests {

  private TestApp.Endpoint placing(TransactionSynchronization... hooks) {
    return app.at(
        "",
        (request, response) -> {
          jdbc.update("INSERT INTO orders (id) VALUES (?)", "order-" + System.nanoTime());
          for (TransactionSynchronization hook : hooks) {
            TransactionSynchronizationManager.registerSynchronization(hook);
          }
          response.setStatus(201);
        });
  }

  private long orders() {
    return schema.count("SELECT count(*) FROM orders");
  }

  private static TransactionSynchronization beforeCommit(Runnable work) {
    return new TransactionSynchronization() {
      @Override
      public void beforeCommit(boolean readOnly) {
        work.run();
      }
    };
  }

  private static TransactionSynchronization afterCommit(Runnable work) {
    return new TransactionSynchronization() {
      @Override
      public void afterCommit() {
        work.run();
      }
    };
  }

  private static void swallowing(Runnable work) {
    try {
      work.run();
    } catch (RuntimeException e) {
      // as an audit whose failure must not matter
    }
  }

  private void assertRolledBack(TestApp.Endpoint endpoint) throws Exception {
    HttpResponse<String> answer = send(endpoint, "k");

    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("idempotency-rolled-back");
    assertThat(orders()).isZero();
  }

  private void assertCommitted(TestApp.Endpoint endpoint) throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(send(endpoint, "k").statusCode()).isEqualTo(201);
      assertThat(orders()).isEqualTo(1);
    }
    assertThat(endpoint.calls()).isEqualTo(1);
  }

  /** PostgreSQL rolls back, and its driver tells that as a success. */
  @Test
  void caughtFailureBeforeCommitIsNoSuccess() throws Exception {
    assertRolledBack(
        placing(
            beforeCommit(() -> swallowing(() -> jdbc.update("INSERT INTO nowhere VALUES (1)")))));
  }

  /** Spring itself swallows what is thrown there. */
  @Test
  void failureBeforeCompletionIsNoSuccess() throws Exception {
    assertRolledBack(
        placing(
            new TransactionSynchronization() {
              @Override
              public void beforeCompletion() {
                jdbc.update("INSERT INTO nowhere VALUES (1)");
              }
            }));
  }

  /** As InnoDB does with a transaction that has lost a deadlock: the commit has nothing to do. */
  @Test
  void hiddenRollbackIsNoSuccess() throws Exception {
    assertRolledBack(placing(beforeCommit(() -> jdbc.execute("ROLLBACK"))));
  }

  @Test
  void whatFailsAfterTheCommitDoesNotUndoIt() throws Exception {
    assertCommitted(
        placing(
            afterCommit(
                () -> {
                  throw new IllegalStateException("the message was not sent");
                })));
  }

  /** Spring commits it, and throws UnexpectedRollbackException. */
  @Test
  void committedButReportedRolledBackIsSuccess() throws Exception {
    assertCommitted(
        placing(
            beforeCommit(
                () ->
                    swallowing(
                        () ->
                            template.executeWithoutResult(
                                status -> {
                                  throw new IllegalStateException("the audit failed");
                                })))));
  }

  @Test
  void whatCannotBeFoundOutIsNotKnown() throws Exception {
    TestApp.Endpoint endpoint =
        placing(
            afterCommit(() -> schema.execute("ALTER TABLE holdfast_idempotency RENAME TO hidden")));

    HttpResponse<String> answer = send(endpoint, "k");
    schema.execute("ALTER TABLE hidden RENAME TO holdfast_idempotency");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("idempotency-commit-unknown");
    assertCommitted(endpoint);
  }

  /** It took no effect here, but that of somebody else has: only a repeat tells. */
  @Test
  void laterChangesDoNotHideEffect() throws Exception {
    schema.execute("CREATE TABLE of_another (LIKE holdfast_idempotency)");
    AtomicBoolean spoilt = new AtomicBoolean();
    TestApp.Endpoint endpoint =
        placing(
            beforeCommit(
                () -> {
                  if (spoilt.get()) {
                    jdbc.execute("ROLLBACK");
                  }
                }),
            afterCommit(() -> schema.execute("INSERT INTO holdfast_idempotency TABLE of_another")));
    assertThat(send(endpoint, "k").statusCode()).isEqualTo(201);
    schema.execute(
        "INSERT INTO of_another TABLE holdfast_idempotency", "DELETE FROM holdfast_idempotency");
    spoilt.set(true);

    HttpResponse<String> answer = send(endpoint, "k");

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("idempotency-commit-unknown");
    assertThat(send(endpoint, "k").headers().firstValue("Idempotent-Replayed")).hasValue("true");
  }

  /** The inner record would be committed without an answer, and block its key. */
  @Test
  void aFailureOfOursThatIsSwallowedRollsBack() throws Exception {
    IdempotencyKey inner = IdempotencyKey.of("inner", "k");
    assertRolledBack(
        app.at(
            "",
            (request, response) -> {
              jdbc.update("INSERT INTO orders (id) VALUES ('one')");
              swallowing(
                  () ->
                      Holdfast.create(dataSource)
                          .idempotency()
                          .execute(
                              IdempotentRequest.transaction(request),
                              IdempotencyRequest.of(inner, ReplyCodecs.text()),
                              tx -> {
                                throw new IllegalStateException("it went wrong");
                              }));
              response.setStatus(201);
            }));
    assertThat(Holdfast.create(dataSource).idempotency().find(inner)).isEmpty();
  }
}
