package dev.holdfast.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.transaction.DatabaseException;
import dev.holdfast.transaction.Retrying;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MigrationWaitTest {
  private static final TargetSchema SCHEMA = new TargetSchema("hold", "\"hold\"");

  private final List<Duration> pauses = new ArrayList<>();
  private boolean interrupting;

  private final Retrying.Waiter waiter =
      new Retrying.Waiter() {
        @Override
        public long nanoTime() {
          return pauses.stream().mapToLong(Duration::toNanos).sum();
        }

        @Override
        public void pause(Duration duration) throws InterruptedException {
          if (interrupting) {
            throw new InterruptedException();
          }
          pauses.add(duration);
        }
      };

  @Test
  void waitsInShortPausesUntilTheDeadline() {
    MigrationWait wait = new MigrationWait(SCHEMA, Duration.ofMinutes(2), waiter);

    assertThatThrownBy(() -> waitForEver(wait))
        .isInstanceOfSatisfying(
            SchemaException.class,
            e -> assertThat(e.reason()).isEqualTo(SchemaException.Reason.BUSY))
        .hasMessageContainingAll("'hold'", "PT2M", "another instance");
    assertThat(Duration.ofNanos(waiter.nanoTime()))
        .isBetween(Duration.ofMinutes(2), Duration.ofMinutes(2).plusSeconds(1));
    assertThat(pauses)
        .allMatch(
            pause ->
                pause.compareTo(Duration.ofMillis(25)) >= 0
                    && pause.compareTo(Duration.ofMillis(500)) <= 0);
  }

  @Test
  void saysWhatItWaitedFor() {
    MigrationWait wait = new MigrationWait(SCHEMA, Duration.ofMillis(1), waiter);
    DatabaseException reason =
        new DatabaseException("altering", new SQLException("locked by a report", "55P03"));
    wait.pause(reason);

    SchemaException givenUp = catchThrowableOfType(SchemaException.class, () -> wait.pause(reason));
    assertThat(givenUp).hasMessageContaining("locked by a report").hasCause(reason);
    assertThat(givenUp.code()).isEqualTo("schema-busy");
    assertThat(givenUp.isRetryable()).isTrue();
  }

  @Test
  void anInterruptEndsIt() {
    interrupting = true;
    MigrationWait wait = new MigrationWait(SCHEMA, Duration.ofMinutes(2), waiter);

    assertThatThrownBy(() -> wait.pause(null))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @SuppressWarnings("InfiniteLoopStatement")
  private static void waitForEver(MigrationWait wait) {
    while (true) {
      wait.pause(null);
    }
  }
}
