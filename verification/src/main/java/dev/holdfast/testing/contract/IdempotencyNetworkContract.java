package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.idempotency.IdempotencyRequest;
import dev.holdfast.idempotency.ReplyCodecs;
import dev.holdfast.testing.TcpProxy;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transactions;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What becomes of a request when the network breaks at its commit. */
public abstract class IdempotencyNetworkContract extends IdempotentExecutionTests {
  protected IdempotencyNetworkContract(TestDatabase database) {
    super(database);
  }

  @Test
  void detectsCommitAfterLostResponse() {
    assertThat(runsAfter(TcpProxy::loseNextAnswer)).isEqualTo(1);
  }

  @Test
  void aCommitThatNeverArrivedIsDoneAgain() {
    assertThat(runsAfter(TcpProxy::loseNextMessage)).isEqualTo(2);
  }

  /** How often the work was run where its first commit met a fault. */
  private int runsAfter(Consumer<TcpProxy> fault) {
    AtomicInteger runs = new AtomicInteger();
    AtomicBoolean first = new AtomicBoolean(true);
    try (TcpProxy proxy = TcpProxy.before(schema.url());
        HikariDataSource pool = Pools.of(proxy.url(), schema.user(), schema.password(), 1)) {
      FaultyDataSource faulty =
          new FaultyDataSource(pool)
              .beforeCommit(
                  connection -> {
                    if (first.getAndSet(false)) {
                      fault.accept(proxy);
                    }
                  });

      String answer =
          executed(
              with(Transactions.on(faulty.dataSource()))
                  .execute(
                      IdempotencyRequest.of(KEY, ReplyCodecs.text()).fingerprint(PAYLOAD),
                      tx -> {
                        runs.incrementAndGet();
                        return order(tx, "apple");
                      }));

      assertThat(replayed(once(idempotency))).isEqualTo(answer);
      assertThat(orders()).isEqualTo(1);
    }
    return runs.get();
  }
}
