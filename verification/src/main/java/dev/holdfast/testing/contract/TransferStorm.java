package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ConcurrentActors;
import dev.holdfast.testing.TestSchema;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Money moved in both directions between a few accounts by many threads at once. However it is
 * done, no transfer fails, each takes effect once, and not a cent is made or lost.
 */
final class TransferStorm {
  static final int ACCOUNTS = 8;
  static final int THREADS = 16;
  static final int TRANSFERS = 5_000;
  static final long OPENING_BALANCE = 1_000_000;

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private TransferStorm() {}

  /** Moves money from one account to another in a transaction of its own. */
  @FunctionalInterface
  interface Transfer {
    void move(long from, long to, long cents) throws Exception;
  }

  static void createAccounts(TestSchema schema) {
    schema.execute(
        "create table accounts (id bigint primary key, cents bigint not null, version bigint not"
            + " null)");
    for (int id = 1; id <= ACCOUNTS; id++) {
      schema.execute("insert into accounts values (" + id + ", " + OPENING_BALANCE + ", 0)");
    }
  }

  static void run(TestSchema schema, Transfer transfer) {
    AtomicInteger left = new AtomicInteger(TRANSFERS);
    long[][] expected = new long[THREADS][ACCOUNTS + 1];
    ConcurrentActors.run(
            LIMIT,
            THREADS,
            thread -> {
              Random random = new Random(thread);
              boolean first = true;
              while (left.getAndDecrement() > 0) {
                // the first two are opposite to each other
                int from = first && thread < 2 ? 1 + thread : 1 + random.nextInt(ACCOUNTS);
                int to =
                    first && thread < 2
                        ? 2 - thread
                        : 1 + (from + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
                first = false;
                long cents = 1L + random.nextInt(100);
                transfer.move(from, to, cents);
                expected[thread][from] -= cents;
                expected[thread][to] += cents;
              }
              return thread;
            })
        .resultsOrThrow();
    for (int account = 1; account <= ACCOUNTS; account++) {
      long balance = OPENING_BALANCE;
      for (long[] moved : expected) {
        balance += moved[account];
      }
      assertThat(schema.count("select cents from accounts where id = " + account))
          .as("balance of account %d", account)
          .isEqualTo(balance);
    }
    assertThat(schema.count("select sum(cents) from accounts"))
        .as("money of all accounts")
        .isEqualTo(ACCOUNTS * OPENING_BALANCE);
  }
}
