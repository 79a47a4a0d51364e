package dev.holdfast.testing.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.guard.Conditional;
import dev.holdfast.guard.OptimisticLockException;
import dev.holdfast.guard.StuckRows;
import dev.holdfast.guard.Update;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tasks that are leased to their worker, which moves the end of the lease while it is alive. */
class LeasedTaskExampleIT extends Shop {
  private static final Duration LEASE = Duration.ofSeconds(30);

  private static final StuckRows ABANDONED =
      StuckRows.table("tasks")
          .key("id")
          .status("status", "EXECUTING")
          .leaseExpired("lease_until")
          .recoverTo("READY")
          .version("version");

  @BeforeEach
  void fileATask() {
    schema.execute(
        "create table tasks (id bigint primary key, status varchar(10), lease_until timestamptz,"
            + " version bigint not null)",
        "insert into tasks values (1, 'READY', null, 0)");
  }

  private boolean take(long task) {
    return transactions.call(
        tx ->
            Conditional.table("tasks")
                .where("id", task)
                .transition("status", "READY", "EXECUTING")
                .setNowPlus("lease_until", LEASE)
                .apply(tx)
                .changed());
  }

  private long renew(long task, long version) {
    return transactions.call(
        tx ->
            Update.table("tasks")
                .setNowPlus("lease_until", LEASE)
                .where("id", task)
                .version(version)
                .applyOrThrow(tx));
  }

  @Test
  void aWorkerThatRenewsItsLeaseKeepsItsTask() {
    assertThat(take(1)).isTrue();
    assertThat(take(1)).isFalse();
    schema.execute("update tasks set lease_until = lease_until - interval '1 hour'");

    assertThat(renew(1, 0)).isEqualTo(1);

    assertThat(ABANDONED.sweep(transactions).recovered()).isZero();
  }

  @Test
  void aWorkerThatDoesNotLosesIt() {
    assertThat(take(1)).isTrue();
    schema.execute("update tasks set lease_until = lease_until - interval '1 hour'");

    assertThat(ABANDONED.sweep(transactions).recovered()).isEqualTo(1);

    assertThatThrownBy(() -> renew(1, 0)).isInstanceOf(OptimisticLockException.class);
  }
}
