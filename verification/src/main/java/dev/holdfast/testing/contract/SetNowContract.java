package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.InvalidArgumentException;
import dev.holdfast.guard.ConditionalUpdate;
import dev.holdfast.guard.CreateIfAbsent;
import dev.holdfast.guard.Update;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.TransactionCallback;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the guards write where they are told to write the time of the database. */
public abstract class SetNowContract extends DatabaseContract {
  protected SetNowContract(TestDatabase database) {
    super(database);
  }

  @BeforeEach
  void createTask() {
    String type =
        switch (database().name()) {
          // their timestamp ends in 2038
          case "MariaDB", "MySQL" -> "datetime(6)";
          default -> "timestamp(6)";
        };
    schema.execute(
        "create table tasks (id bigint primary key, status varchar(10), at_time %s, version bigint)"
            .formatted(type),
        "create table clocks (at_time %s)".formatted(type),
        "insert into tasks values (1, 'READY', null, 0)");
  }

  @Test
  void updateWritesDatabaseTime() {
    assertWritten(
        1,
        time ->
            tx -> {
              schema.execute("update tasks set version = 0");
              Update.table("tasks")
                  .setNowPlus("at_time", time)
                  .where("id", 1)
                  .version(0)
                  .applyOrThrow(tx);
            });
  }

  @Test
  void conditionalUpdateWritesDatabaseTime() {
    assertWritten(
        1,
        time ->
            tx ->
                assertThat(
                        ConditionalUpdate.table("tasks")
                            .where("id", 1)
                            .increase("version", 1)
                            .setNowPlus("at_time", time)
                            .set("status", "EXECUTING")
                            .apply(tx)
                            .changed())
                    .isTrue());
  }

  @Test
  void createWritesDatabaseTime() {
    assertWritten(
        2,
        time ->
            tx -> {
              schema.execute("delete from tasks where id = 2");
              CreateIfAbsent.table("tasks")
                  .key("id", 2)
                  .set("status", "READY")
                  .setNowPlus("at_time", time)
                  .set("version", 0)
                  .apply(tx);
            });
  }

  private interface Write {
    TransactionCallback.WithoutResult<RuntimeException> of(Duration time);
  }

  private void assertWritten(long id, Write write) {
    for (Duration time :
        new Duration[] {
          Duration.ofSeconds(30),
          Duration.ZERO,
          Duration.ofMinutes(5).plusNanos(123_456_000),
          Duration.ofNanos(-1_000),
          Duration.ofDays(-365),
          Duration.ofDays(365_000)
        }) {
      LocalDateTime before = clock();
      transactions.run(write.of(time));
      LocalDateTime after = clock();

      assertThat(read("select at_time from tasks where id = " + id))
          .as("now + %s", time)
          .isBetween(before.plus(time), after.plus(time));
    }
  }

  @Test
  void addsTheDurationToTheMicrosecond() {
    String type = isMySqlFamily() ? "datetime(6)" : "timestamp(6)";
    schema.execute(
        "create table spans (id bigint primary key, begins %s, ends %s, version bigint)"
            .formatted(type, type),
        "insert into spans values (1, null, null, 0)");
    for (int micros = 0; micros < 5; micros++) {
      Duration time = Duration.ofDays(364_999).plusSeconds(4_321).plusNanos(micros * 1_000L);
      long version = micros;
      transactions.run(
          tx ->
              Update.table("spans")
                  .setNow("begins")
                  .setNowPlus("ends", time)
                  .where("id", 1)
                  .version(version)
                  .applyOrThrow(tx));
      assertThat(read("select ends from spans"))
          .isEqualTo(read("select begins from spans").plus(time));
    }
  }

  private boolean isMySqlFamily() {
    return database().name().equals("MariaDB") || database().name().equals("MySQL");
  }

  /** The clock of the database, as it writes it to such a column itself. */
  private LocalDateTime clock() {
    schema.execute("delete from clocks", "insert into clocks values (current_timestamp(6))");
    return read("select at_time from clocks");
  }

  private LocalDateTime read(String query) {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      assertThat(row.next()).isTrue();
      return row.getObject(1, LocalDateTime.class).truncatedTo(ChronoUnit.MICROS);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void refusesDurationsThatMakeNoSense() {
    refused("365", () -> update(Duration.ofDays(-365).minusNanos(1)));
    refused("365", () -> update(Duration.ofDays(365_000).plusNanos(1)));
    refused("null", () -> update(none()));
    refused("null", () -> ConditionalUpdate.table("tasks").setNowPlus("at_time", none()));
    refused("null", () -> CreateIfAbsent.table("tasks").setNowPlus("at_time", none()));
    refused("twice", () -> update(Duration.ZERO).setNow("AT_TIME"));
  }

  private static Update update(Duration time) {
    return Update.table("tasks").setNowPlus("at_time", time);
  }

  @SuppressWarnings("NullAway")
  private static Duration none() {
    return null;
  }

  private static void refused(String because, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidArgumentException.class)
        .hasMessageContaining(because);
  }
}
