package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.event.QueueLimit;
import dev.holdfast.internal.event.store.ClaimCursor;
import dev.holdfast.internal.event.store.ClaimRequest;
import dev.holdfast.internal.event.store.ClaimedEvent;
import dev.holdfast.internal.event.store.EventStore;
import dev.holdfast.internal.event.store.EventStores;
import dev.holdfast.internal.event.store.LimitedClaimTransaction;
import dev.holdfast.internal.event.store.ShardRoundRobin;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a claim under a limit takes, by what the row of the limit says, and whether it believes it.
 */
public abstract class LimitedClaimContract extends EventContract {
  private static final QueueLimit TEN = QueueLimit.queue("default").maxConcurrency(10);
  private static final QueueLimit TWENTY_A_DAY =
      QueueLimit.queue("default").rateLimit(20, Duration.ofDays(1));
  private static final String FRESH = "timestamp '2100-01-01 00:00:00'";
  private static final String OLD = "timestamp '2020-01-01 00:00:00'";

  private EventStore store;
  private long owner;

  @SuppressWarnings("NullAway.Init")
  protected LimitedClaimContract(TestDatabase database) {
    super(database);
  }

  private interface Step<T> {
    T run(Connection connection) throws SQLException;
  }

  private <T> T step(Step<T> step) throws SQLException {
    return Transactions.on(schema.unpooled())
        .isolation(Isolation.READ_COMMITTED)
        .<T, SQLException>call(tx -> step.run(tx.connection()));
  }

  @BeforeEach
  void scheduleMany() throws SQLException {
    store = EventStores.of(holdfast.dialect(), "");
    owner = step(connection -> store.register(connection, "an instance", Duration.ofMinutes(10)));
    events.scheduleAll(IntStream.range(0, 40).mapToObj(i -> TEXT.event("" + i)).toList());
  }

  /** What the row says is claimed at most, and since when. */
  private void say(int atMost, String countedAt) {
    schema.execute("update holdfast_limit set at_most = " + atMost + ", counted_at = " + countedAt);
  }

  private int claim(QueueLimit limit, int most) throws SQLException {
    LimitedClaimTransaction.Wanted wanted =
        new LimitedClaimTransaction.Wanted(
            "default", List.of("text"), most, most, owner, Long.MAX_VALUE);
    return step(c ->
            LimitedClaimTransaction.run(store, c, List.of(limit), wanted, new ShardRoundRobin(1)))
        .claimed()
        .size();
  }

  /** As long as the limit is far away. */
  private int claimUnder(QueueLimit limit, int most) throws SQLException {
    ClaimRequest wanted = new ClaimRequest(0, "default", List.of("text"), most, owner, null);
    Optional<List<ClaimedEvent>> claimed =
        step(connection -> store.claimUnder(connection, wanted, new ClaimCursor(), limit));
    assumeTrue(claimed.isPresent(), "this store always counts");
    return claimed.get().size();
  }

  @Test
  void countsIfRowIsNearlyFull() throws SQLException {
    queues.setLimit(TEN);
    assertThat(claim(TEN, 2)).isEqualTo(2);
    assertThat(claim(TEN, 7)).isEqualTo(7);
    say(9, FRESH);
    assertThat(claim(TEN, 2)).isEqualTo(1);
    assertThat(claim(TEN, 2)).isZero();
  }

  @Test
  void counterCountsUntilRowChanges() throws SQLException {
    queues.setLimit(TEN);
    claim(TEN, 9);
    say(0, OLD);
    assertThat(claim(TEN, 2)).isEqualTo(1);
  }

  @Test
  void skipsCountIfRowHasRoom() throws SQLException {
    queues.setLimit(TEN);
    claim(TEN, 9);
    // not so, which only who counts can know
    say(2, FRESH);
    assertThat(claim(TEN, 2)).isEqualTo(2);
    assertThat(schema.count("select at_most from holdfast_limit")).isEqualTo(4);
  }

  @Test
  void claimsAndReportsIfRowHasRoom() throws SQLException {
    queues.setLimit(TEN);
    say(2, FRESH);
    assertThat(claimUnder(TEN, 2)).isEqualTo(2);
    assertThat(schema.count("select at_most from holdfast_limit")).isEqualTo(4);
    assertThat(claimUnder(TEN, 2)).isZero();
    assertThat(schema.count("select at_most from holdfast_limit")).isEqualTo(4);
  }

  @Test
  void claimsNothingIfRowIsNearlyFull() throws SQLException {
    queues.setLimit(TEN);
    say(3, FRESH);
    assertThat(claimUnder(TEN, 2)).isZero();
    assertThat(claimUnder(TEN, 1)).isEqualTo(1);
  }

  @Test
  void claimsNothingIfCountIsStale() throws SQLException {
    queues.setLimit(TEN);
    assertThat(claimUnder(TEN, 1)).as("never").isZero();
    say(0, OLD);
    assertThat(claimUnder(TEN, 1)).isZero();
    say(0, FRESH);
    assertThat(claimUnder(TEN, 1)).isEqualTo(1);
  }

  @Test
  void claimsNothingIfLimitIsGone() throws SQLException {
    assertThat(claimUnder(TEN, 1)).isZero();
    assertThat(claimUnder(TWENTY_A_DAY, 1)).isZero();
  }

  @Test
  void consumesRateAndClaimsNothingIfNearlyUsed() throws SQLException {
    queues.setLimit(TWENTY_A_DAY);
    int claimed = 0;
    for (int i = 0; i < 15; i++) {
      claimed += claimUnder(TWENTY_A_DAY, 2);
    }
    // it goes on while eight are left
    assertThat(claimed).isEqualTo(14);
    assertThat(claim(TWENTY_A_DAY, 10)).as("the others one by one").isEqualTo(6);
    assertThat(claim(TWENTY_A_DAY, 10)).isZero();
  }

  @Test
  void requeuedEventReturnsItsRate() throws SQLException {
    queues.setLimit(TWENTY_A_DAY);
    assertThat(claimUnder(TWENTY_A_DAY, 5)).isEqualTo(5);
    assertThat(claimUnder(TWENTY_A_DAY, 5)).isZero();
    step(
        connection -> {
          store.limits().giveBack(connection, TWENTY_A_DAY, 5);
          return true;
        });
    assertThat(claimUnder(TWENTY_A_DAY, 5)).isEqualTo(5);
  }
}
