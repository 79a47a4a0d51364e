package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Cast.twoAnswers;
import static dev.holdfast.race.sample.Queues.JOBS;
import static dev.holdfast.race.sample.Sql.maybeNumber;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.text;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.race.Race;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Who is slow, taken for dead, told "busy", or dies. */
final class Workers {

  private Workers() {}

  static List<Bug> bugs() {
    return List.of(lateCompletion(), tryLock(), claimOfTheDead());
  }

  /** Who was taken for dead completes the job after all, beside who has taken over. */
  private static Bug lateCompletion() {
    return Bug.named("a completion that is not conditional")
        .withInvariantOnly()
        .tables(
            JOBS,
            """
            create table results (
              id serial primary key, job int not null, worker varchar(20) not null,
              done_at timestamp default current_timestamp)
            """)
        .rows("insert into jobs (id, payload, status) values (1, 'mail dora', 'NEW')")
        .broken(rescue(Workers::complete))
        .fixed(rescue(Workers::completeIfStillMine))
        .invariant("one result per job", "select count(*) = count(distinct job) from results");
  }

  private static Consumer<Race> rescue(Completion completion) {
    return race ->
        race.actor("Ana", ds -> work(ds, "Ana", completion))
            .actor("Ben", ds -> work(ds, "Ben", completion))
            .actor(
                "rescuer",
                ds ->
                    update(
                        ds,
                        "update jobs set status = 'NEW', worker = null where status = 'RUNNING'"));
  }

  private static void work(DataSource ds, String worker, Completion completion)
      throws SQLException {
    try (Connection connection = ds.getConnection()) {
      Optional<Long> job =
          maybeNumber(
              connection,
              """
              update jobs set status = 'RUNNING', worker = ?, claimed_at = now()
               where id = (select id from jobs where status = 'NEW' for update skip locked limit 1)
              returning id
              """,
              worker);
      if (job.isEmpty()) {
        return;
      }
      connection.setAutoCommit(false);
      if (completion.of(connection, job.get(), worker) == 1) {
        update(connection, "insert into results (job, worker) values (?, ?)", job.get(), worker);
      }
      connection.commit();
    }
  }

  private interface Completion {
    int of(Connection connection, long job, String worker) throws SQLException;
  }

  private static int complete(Connection connection, long job, String worker) throws SQLException {
    return update(connection, "update jobs set status = 'DONE' where id = ?", job);
  }

  private static int completeIfStillMine(Connection connection, long job, String worker)
      throws SQLException {
    return update(
        connection,
        "update jobs set status = 'DONE' where id = ? and worker = ? and status = 'RUNNING'",
        job,
        worker);
  }

  /** A lock in a table. Who does not get it says so and goes, as no serial order would have it. */
  private static Bug tryLock() {
    return Bug.named("a try-lock that answers busy")
        .withInvariantOnly()
        .tables(
            "create table locks (name varchar(20) primary key, owner varchar(20))",
            """
            create table reports (
              id serial primary key, day date not null, made_by varchar(20),
              made_at timestamp default current_timestamp)
            """)
        .rows("insert into locks values ('report', null)")
        .broken(twoAnswers((ds, who) -> makeReport(ds, who, "")))
        .fixed(twoAnswers((ds, who) -> makeReport(ds, who, "and owner is null")))
        .invariant("one report a day", "select count(*) <= 1 from reports");
  }

  private static String makeReport(DataSource ds, String who, String guard) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      if (text(connection, "select owner from locks where name = 'report'").isPresent()
          || update(connection, "update locks set owner = ? where name = 'report' " + guard, who)
              == 0) {
        return "busy";
      }
      try {
        if (number(connection, "select count(*) from reports where day = '2031-05-01'") > 0) {
          return "there is one";
        }
        update(connection, "insert into reports (day, made_by) values ('2031-05-01', ?)", who);
        return "made";
      } finally {
        update(connection, "update locks set owner = null where name = 'report'");
      }
    }
  }

  /** Two workers, of whom one dies: what it had claimed stays claimed for ever. */
  private static Bug claimOfTheDead() {
    return Bug.named("the claim of a worker that dies")
        .withInvariantOnly()
        .tables(JOBS)
        .rows("insert into jobs (id, payload, status) values (1, 'mail dora', 'NEW')")
        .broken(two(Workers::claimThenDo).andThen(race -> race.crashActor("Ana")))
        .fixed(two(Workers::doInOneGo).andThen(race -> race.crashActor("Ana")))
        .invariant("it is done in the end", "select count(*) = 1 from jobs where status = 'DONE'");
  }

  private static void claimThenDo(DataSource ds, String worker) throws SQLException {
    if (update(
            ds,
            "update jobs set status = 'RUNNING', worker = ? where id = 1 and status = 'NEW'",
            worker)
        == 1) {
      update(ds, "update jobs set status = 'DONE' where id = 1 and worker = ?", worker);
    }
  }

  private static void doInOneGo(DataSource ds, String worker) throws SQLException {
    transaction(
        ds,
        connection -> {
          Optional<Long> job =
              maybeNumber(
                  connection, "select id from jobs where status = 'NEW' for update skip locked");
          if (job.isPresent()) {
            update(
                connection,
                "update jobs set status = 'DONE', worker = ? where id = ?",
                worker,
                job.get());
          }
        });
  }
}
