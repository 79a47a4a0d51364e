package dev.holdfast.race;

import static dev.holdfast.race.Jdbc.number;
import static dev.holdfast.race.Jdbc.text;
import static dev.holdfast.race.Jdbc.transaction;
import static dev.holdfast.race.Jdbc.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestSchema;
import java.sql.PreparedStatement;
import java.util.Arrays;
import java.util.ConcurrentModificationException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who gives up because a write of its own changed nothing is right, however it is written. */
final class GuardedWriteIT {
  private static final String DOCS =
      "create table docs (id int primary key, title varchar(20), body int, version int)";
  private static final String DOC = "insert into docs values (1, 'old', 0, 1)";
  private static final String ACCOUNTS = "create table accounts (id int primary key, amount int)";

  private final TestSchema schema = TestDatabase.postgreSql().newSchema();

  @AfterEach
  void drop() {
    schema.close();
  }

  private Race race(String... tables) {
    schema.execute(tables);
    return Race.create(schema.dataSource(8));
  }

  private static void isFine(RaceReport report) {
    assertThat(report.hasFinding()).as(report.text()).isFalse();
    assertThat(report.isExhaustive()).as(report.text()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/* Docs.edit */ update docs set version = version + 1 where id = 1 and version = ?",
        "-- edit\nupdate docs set version = version + 1 where id = 1 and version = ?",
        "with u as (update docs set version = version + 1 where version = ? returning id)"
            + " insert into edits select id from u",
        "with d as (select 1 as id) update docs set version = version + 1 from d"
            + " where docs.id = d.id and version = ?"
      })
  void aGuardedWriteIsKnownHoweverItIsWritten(String guarded) {
    isFine(
        race(DOCS, "create table edits (doc int)")
            .given(DOC)
            .actors(
                2,
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          int version = number(connection, "select version from docs");
                          if (update(connection, guarded, version) == 0) {
                            throw new ConcurrentModificationException("it was changed meanwhile");
                          }
                        }))
            .explore());
  }

  @Test
  void lateWriterMayLookWhy() {
    isFine(
        race(DOCS)
            .given(DOC)
            .actors(
                2,
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          int version = number(connection, "select version from docs");
                          if (update(
                                  connection,
                                  "update docs set version = version + 1 where version = ?",
                                  version)
                              == 0) {
                            throw text(connection, "select id from docs where id = 1").isEmpty()
                                ? new IllegalStateException("it is gone")
                                : new ConcurrentModificationException("it was changed meanwhile");
                          }
                        }))
            .explore());
  }

  @Test
  void otherFailureIsNotGuardRejection() {
    RaceReport report =
        race(ACCOUNTS, "create table expired (id int)")
            .given("insert into accounts values (1, 50), (2, 50)")
            .actor(
                "Ana",
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          int one = number(connection, "select amount from accounts where id = 1");
                          update(connection, "delete from expired");
                          if (one + number(connection, "select amount from accounts where id = 2")
                              != 100) {
                            throw new IllegalStateException("money is missing");
                          }
                        }))
            .actor(
                "Ben",
                ds ->
                    transaction(
                        ds,
                        connection -> {
                          update(connection, "update accounts set amount = 40 where id = 1");
                          update(connection, "update accounts set amount = 60 where id = 2");
                        }))
            .explore();

    assertThat(report.kind()).as(report.text()).contains(RaceReport.Kind.NOT_SERIALIZABLE);
  }

  @Test
  void batchEntryWithoutChangeIsGuard() {
    isFine(
        race(DOCS)
            .given(DOC, "insert into docs values (2, 'other', 0, 1)")
            .actor("Ana", ds -> editAll(ds, 1, 2))
            .actor("Ben", ds -> editAll(ds, 1))
            .explore());
  }

  private static void editAll(DataSource ds, int... docs) throws Exception {
    transaction(
        ds,
        connection -> {
          try (PreparedStatement statement =
              connection.prepareStatement(
                  "update docs set version = version + 1 where id = ? and version = ?")) {
            for (int doc : docs) {
              statement.setInt(1, doc);
              statement.setInt(2, number(connection, "select version from docs where id = ?", doc));
              statement.addBatch();
            }
            if (Arrays.stream(statement.executeBatch()).anyMatch(count -> count == 0)) {
              throw new ConcurrentModificationException("one was changed meanwhile");
            }
          }
        });
  }
}
