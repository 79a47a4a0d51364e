package dev.holdfast.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.HoldfastException;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcDataSource;

/** Work that always conflicts, and a runner for it that does not really wait. */
abstract class Conflicting {
  static final class Conflict extends HoldfastException {
    private static final long serialVersionUID = 1L;

    Conflict(int attempt) {
      super("conflict", "conflict " + attempt, null);
    }

    @Override
    public boolean isRetryable() {
      return true;
    }
  }

  final FakeTime time = new FakeTime();
  final Transactions transactions = Transactions.on(inMemory());
  final AtomicInteger runs = new AtomicInteger();

  private static JdbcDataSource inMemory() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:retrying;DB_CLOSE_DELAY=-1");
    return dataSource;
  }

  final Retrying retrying(int attempts) {
    return transactions.retrying(attempts).waitingWith(time);
  }

  final void conflict(Transaction tx) {
    assertThat(tx.attempt()).isEqualTo(runs.incrementAndGet());
    throw new Conflict(tx.attempt());
  }

  final RetriesExhaustedException givenUp(Retrying retrying) {
    return catchThrowableOfType(
        RetriesExhaustedException.class, () -> retrying.run(this::conflict));
  }
}
