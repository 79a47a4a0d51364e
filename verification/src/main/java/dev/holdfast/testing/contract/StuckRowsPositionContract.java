package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.guard.SweepException;
import dev.holdfast.guard.SweepResult;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Transactions;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.Objects;
import java.util.Set;
import java.util.TimeZone;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Where the stuck-row monitor goes on after a batch: behind its last row, and nowhere else. */
public abstract class StuckRowsPositionContract extends TasksContract {
  private static final Set<Class<?>> WRAPPED =
      Set.of(Connection.class, PreparedStatement.class, ResultSet.class);

  protected StuckRowsPositionContract(TestDatabase database) {
    super(database);
  }

  /** Between two and three o'clock, which this night did not have in Berlin. */
  private void insertInTheGapOfBerlin() {
    if (database().name().matches("MariaDB|MySQL")) {
      schema.execute("alter table tasks modify started_at datetime(6)");
    }
    insertStuck(1, 1, "poison");
    insertStuck(2, 4);
    schema.execute(
        "update tasks set started_at = timestamp '2020-03-29 02:10:00' where id = 1",
        "update tasks set started_at = timestamp '2020-03-29 02:20:00' where id = 2",
        "update tasks set started_at = timestamp '2020-03-29 03:05:00.000001' where id = 3",
        "update tasks set started_at = timestamp '2020-03-29 03:05:00.000002' where id = 4");
  }

  @Test
  void doesNotDependOnTheZoneOfTheProcess() {
    insertInTheGapOfBerlin();
    TimeZone before = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
    try {
      SweepResult result = tasks().batch(1).sweep(Transactions.on(schema.dataSource(2)));

      assertThat(result.recovered()).isEqualTo(3);
      assertThat(result.poisoned()).extracting(SweepResult.Poisoned::key).containsExactly(1L);
      assertThat(result.complete()).isTrue();
    } finally {
      TimeZone.setDefault(before);
    }
  }

  @Test
  void isTheSameAtEachMicrosecond() {
    insertStuck(1, 6);
    schema.execute("update tasks set started_at = timestamp '2020-01-01 00:00:00.000001'");
    schema.execute(
        "update tasks set kind = 'poison', started_at = timestamp '2020-01-01 00:00:00.000002'"
            + " where id in (2, 3)",
        "update tasks set started_at = timestamp '2020-01-01 00:00:00.000003' where id = 1");

    SweepResult result = tasks().batch(1).sweep(transactions);

    assertThat(result.recovered()).isEqualTo(4);
    assertThat(result.poisoned()).extracting(SweepResult.Poisoned::key).containsExactly(2L, 3L);
  }

  @Test
  void unknownPositionIsNotTheEnd() {
    insertStuck(1, 3);
    // as some drivers do for times that they cannot express
    DataSource forgetful = withoutTimes(DataSource.class, schema.dataSource());

    SweepException stopped =
        catchThrowableOfType(
            SweepException.class, () -> tasks().batch(2).sweep(Transactions.on(forgetful)));

    assertThat(stopped).hasMessageContainingAll("time", "null", "tasks");
    assertThat(stopped.result().recovered()).isEqualTo(2);
    assertThat(stopped.result().complete()).isFalse();
    assertThat(countTasks("status = 'READY' and version = 6")).isEqualTo(2);
  }

  /** The same, but whatever rows come from it have null for their time. */
  private static <T> T withoutTimes(Class<T> type, Object real) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          if (real instanceof ResultSet results
              && method.getName().equals("getObject")
              && results
                  .getMetaData()
                  .getColumnLabel((int) arguments[0])
                  .equalsIgnoreCase("holdfast_time")) {
            return null;
          }
          try {
            Object answer = method.invoke(real, arguments);
            Class<?> promised = method.getReturnType();
            return WRAPPED.contains(promised) ? withoutTimes(promised, answer) : answer;
          } catch (InvocationTargetException e) {
            throw Objects.requireNonNull(e.getCause());
          }
        };
    return type.cast(
        Proxy.newProxyInstance(
            StuckRowsPositionContract.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
