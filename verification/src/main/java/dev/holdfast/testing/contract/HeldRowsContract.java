package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ConflictException;
import dev.holdfast.event.EventId;
import dev.holdfast.event.EventScheduleResult;
import dev.holdfast.event.EventStatus;
import dev.holdfast.event.Events;
import dev.holdfast.event.QueueLimit;
import dev.holdfast.event.Worker;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens while another session holds a row that is needed, and does not let it go. */
public abstract class HeldRowsContract extends EventContract {
  private static final Duration SHORT = Duration.ofSeconds(1);

  protected HeldRowsContract(TestDatabase database) {
    super(database);
  }

  private Connection begin() throws SQLException {
    Connection connection = schema.unpooled().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  @Test
  void aHeldLimitIsNamedAndStopsNoOtherQueue() throws SQLException {
    queues.setLimit(QueueLimit.queue("mail").maxConcurrency(5));
    Worker worker;
    EventId limited;
    try (Connection holder = begin();
        Statement statement = holder.createStatement()) {
      statement.executeQuery("select * from holdfast_limit for update").close();
      worker =
          start(
              builder ->
                  builder
                      .queue("mail", 2)
                      .queue("default", 2)
                      .handle(TEXT, (payload, context) -> {}));
      limited = schedule(TEXT.event("a").queue("mail"));
      await(
          () -> "the wait must be named, was " + worker.health(),
          () ->
              worker.health().issues().stream()
                  .anyMatch(
                      trouble ->
                          trouble.message().contains("from the queue 'mail'")
                              && trouble.message().contains("row lock of the limit of queue 'mail'")
                              && trouble.message().contains("another session")));
      for (int i = 0; i < 5; i++) {
        awaitStatus(schedule(TEXT.event("b")), EventStatus.COMPLETED);
      }
      assertThat(found(limited).status()).isEqualTo(EventStatus.PENDING);
      assertThat(worker.health().issues())
          .allMatch(trouble -> !trouble.message().contains("no connection"))
          .hasSize(1);
      holder.rollback();
    }
    awaitStatus(limited, EventStatus.COMPLETED);
    await(
        () -> "the wait is over, health was " + worker.health(),
        () -> worker.health().issues().isEmpty());
  }

  @Test
  void rejectsHeldKeyAfterLockTimeout() throws SQLException {
    Events impatient = events.lockTimeout(SHORT);
    try (Connection holder = begin()) {
      EventId held = events.schedule(Transaction.of(holder), TEXT.event("a").key("k")).id();
      assertThatThrownBy(() -> impatient.schedule(TEXT.event("b").key("k")))
          .isInstanceOfSatisfying(
              ConflictException.class,
              locked -> {
                assertThat(locked.code()).isEqualTo("event-key-locked");
                assertThat(locked.subject()).isEqualTo("event key 'k'");
                assertThat(locked.isRetryable()).isTrue();
                assertThat(locked).hasMessageContaining("'k'").hasMessageContaining("retry");
              });
      assertThatThrownBy(
              () ->
                  transactions
                      .lockTimeout(SHORT)
                      .run(tx -> events.schedule(tx, TEXT.event("b").key("k"))))
          .isInstanceOf(ConflictException.class);
      holder.commit();
      assertThat(impatient.schedule(TEXT.event("b").key("k")))
          .isInstanceOfSatisfying(
              EventScheduleResult.AlreadyScheduled.class,
              answer -> assertThat(answer.id()).isEqualTo(held));
    }
  }
}
