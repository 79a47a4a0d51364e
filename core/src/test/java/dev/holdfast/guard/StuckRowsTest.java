package dev.holdfast.guard;

import static java.time.Duration.ofDays;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.transaction.Transactions;
import java.lang.reflect.Proxy;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class StuckRowsTest {
  /** Fails whoever asks it for a connection: what is refused must be refused before that. */
  private static final Transactions UNUSED =
      Transactions.on(
          (DataSource)
              Proxy.newProxyInstance(
                  StuckRowsTest.class.getClassLoader(),
                  new Class<?>[] {DataSource.class},
                  (proxy, method, arguments) -> {
                    throw new AssertionError(method + " was called");
                  }));

  private static StuckRows complete() {
    return StuckRows.table("tasks")
        .key("id")
        .status("status", "EXECUTING")
        .recoverTo("READY")
        .leaseExpired("lease_until")
        .version("version");
  }

  /** Its name is what the database gets, whatever it calls itself. */
  private enum Loud {
    EXECUTING;

    @Override
    public String toString() {
      return name() + "!";
    }
  }

  @Test
  void refusesToSweepWhatIsNotComplete() {
    StuckRows nothing = StuckRows.table("tasks");
    refusedSweep("key(column)", nothing);
    refusedSweep("status(column, value)", nothing.key("id"));
    refusedSweep("recoverTo", nothing.key("id").status("status", 1));
    refusedSweep("leaseExpired", nothing.key("id").status("status", 1).recoverTo(2));
    refusedSweep(
        "version",
        nothing.key("id").status("status", 1).recoverTo(2).olderThan("at", ofMinutes(5)));
  }

  @Test
  void refusesWhatContradictsItself() {
    refusedSweep("different statuses", complete().recoverTo("EXECUTING"));
    refusedSweep("different statuses", complete().attempts("attempts", 5, "EXECUTING"));
    refusedSweep("different statuses", complete().attempts("attempts", 5, "READY"));
    refusedSweep("different statuses", complete().recoverTo(Loud.EXECUTING));
    refusedSweep("different statuses", complete().status("status", 1).recoverTo(1L));
    refusedSweep("twice", complete().version("STATUS"));
    refusedSweep("twice", complete().version("lease_until"));
    refusedSweep("twice", complete().attempts("version", 5, "FAILED"));
    refusedSweep("twice", complete().error("id", "text"));
    refusedSweep("twice", complete().clear("owner").clear("Owner"));
    refusedSweep("twice", complete().clear("version"));
  }

  private static void refusedSweep(String because, StuckRows stuck) {
    refused(because, () -> stuck.sweep(UNUSED));
    refused(because, () -> stuck.monitor(UNUSED, ofSeconds(1)));
  }

  @Test
  void refusesEachSettingThatMakesNoSense() {
    refused("blank", () -> StuckRows.table(" "));
    refused("blank", () -> complete().key(""));
    refused("age", () -> complete().olderThan("at", ofSeconds(0)));
    refused("age", () -> complete().olderThan("at", ofSeconds(-1)));
    refused("age", () -> complete().olderThan("at", ofDays(2 * 365)));
    refused("exclude each other", () -> complete().olderThan("at", ofMinutes(5)));
    refused("exclude each other", () -> timed().leaseExpired("lease_until"));
    refused("batch", () -> complete().batch(0));
    refused("batch", () -> complete().batch(1001));
    refused("attempts", () -> complete().attempts("attempts", 0, "FAILED"));
    refused("name", () -> complete().named(""));
    refused("interval", () -> every(ofSeconds(0)));
    refused("interval", () -> every(ofSeconds(-1)));
    refused("interval", () -> every(ofDays(2)));
  }

  private static StuckRows timed() {
    return StuckRows.table("tasks").olderThan("at", ofMinutes(5));
  }

  private static void every(java.time.Duration interval) {
    complete().monitor(UNUSED, interval).close();
  }

  private static void refused(String because, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }

  @Test
  void isImmutable() {
    StuckRows first = complete();
    StuckRows second = first.clear("owner").named("rescue");

    assertThat(first).hasToString("stuck rows of tasks");
    assertThat(second).hasToString("rescue");
    assertThat(second.clear("note").clear("other")).hasToString("rescue");
  }
}
