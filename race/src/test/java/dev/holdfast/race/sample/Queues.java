package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Cast.twoAnswers;
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

/** Work that one of several must do, once. */
final class Queues {

  static final String JOBS =
      """
      create table jobs (
        id int primary key, payload varchar(40), status varchar(10) not null, worker varchar(20),
        claimed_at timestamp null)
      """;
  private static final String TWO_JOBS =
      """
      insert into jobs (id, payload, status)
      values (1, 'mail dora', 'NEW'), (2, 'mail emil', 'NEW')
      """;

  private Queues() {}

  static List<Bug> bugs() {
    return List.of(quartz(), statusReadFirst(), skipLockedThenUpdate(), outbox());
  }

  /** quartz-scheduler/quartz#107, #29: WAITING again is not the same WAITING (ABA). */
  private static Bug quartz() {
    return Bug.named("#26 one fire time, fired twice (ABA)")
        .tables(
            "create table triggers (name varchar(20) primary key, state varchar(10), next_fire"
                + " int)",
            """
            create table fired (
              id serial primary key, name varchar(20), fire_time int, node varchar(20),
              fired_at timestamptz default now())
            """)
        .rows("insert into triggers values ('nightly', 'WAITING', 100)")
        .broken(two((ds, node) -> fireIfDue(ds, node, "next_fire is not null")))
        .fixed(two((ds, node) -> fireIfDue(ds, node, "next_fire = 100")))
        .invariant("once per fire time", "select count(*) = count(distinct fire_time) from fired");
  }

  private static void fireIfDue(DataSource ds, String node, String guard) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      Optional<Long> due =
          maybeNumber(
              connection,
              "select next_fire from triggers where state = 'WAITING' and next_fire <= 100");
      if (due.isEmpty()
          || update(
                  connection,
                  "update triggers set state = 'ACQUIRED' where state = 'WAITING' and " + guard)
              == 0) {
        return;
      }
      connection.setAutoCommit(false);
      update(
          connection,
          "insert into fired (name, fire_time, node) values ('nightly', ?, ?)",
          due.get(),
          node);
      update(
          connection,
          "update triggers set state = 'WAITING', next_fire = ? where name = 'nightly'",
          due.get() + 60);
      connection.commit();
    }
  }

  /** The job is read, then claimed by its id. The twin looks for another if it comes too late. */
  private static Bug statusReadFirst() {
    return Bug.named("a job claimed after its status was read")
        .alsoOnMariaDb()
        .tables(JOBS)
        .rows(TWO_JOBS)
        .broken(twoAnswers((ds, worker) -> claim(ds, worker, "")))
        .fixed(twoAnswers((ds, worker) -> claim(ds, worker, "and status = 'NEW'")))
        .invariant("both are claimed", "select count(*) = 2 from jobs where status = 'RUNNING'");
  }

  private static long claim(DataSource ds, String worker, String guard) throws SQLException {
    while (true) {
      long job = number(ds, "select min(id) from jobs where status = 'NEW'");
      if (update(
              ds,
              """
              update jobs set status = 'RUNNING', worker = ?, claimed_at = now() where id = ?
              """
                  + guard,
              worker,
              job)
          == 1) {
        return job;
      }
    }
  }

  /** SKIP LOCKED in autocommit mode: the lock ends with the statement. */
  private static Bug skipLockedThenUpdate() {
    String next = "select id from jobs where status = 'NEW' order by id limit 1";
    return Bug.named("SKIP LOCKED without a transaction")
        .tables(JOBS)
        .rows(TWO_JOBS)
        .broken(
            twoAnswers(
                (ds, worker) -> {
                  long job = number(ds, next + " for update skip locked");
                  update(
                      ds,
                      "update jobs set status = 'RUNNING', worker = ? where id = ?",
                      worker,
                      job);
                  return job;
                }))
        .fixed(
            twoAnswers(
                (ds, worker) ->
                    number(
                        ds,
                        """
                        update jobs set status = 'RUNNING', worker = ?
                         where id = (%s for update skip locked) returning id
                        """
                            .formatted(next),
                        worker)))
        .invariant("both are claimed", "select count(*) = 2 from jobs where status = 'RUNNING'");
  }

  /** What is sent cannot be rolled back. */
  private static Bug outbox() {
    return Bug.named("an outbox that is published twice")
        .tables(
            "create table outbox (id int primary key, event varchar(40), published_at timestamptz)")
        .rows("insert into outbox values (1, 'order paid', null), (2, 'order sent', null)")
        .broken(publishers(""))
        .fixed(publishers(" for update skip locked"))
        .invariant(
            race ->
                race.invariant(
                    "each is published once",
                    connection ->
                        race.sideEffectCount("order paid") == 1
                            && race.sideEffectCount("order sent") == 1));
  }

  private static Consumer<Race> publishers(String lock) {
    return race -> race.actors(2, ds -> publish(race, ds, lock));
  }

  private static void publish(Race race, DataSource ds, String lock) throws SQLException {
    transaction(
        ds,
        connection -> {
          for (long id :
              Sql.numbers(
                  connection,
                  "select id from outbox where published_at is null order by id" + lock)) {
            race.sideEffect(
                text(connection, "select event from outbox where id = ?", id).orElseThrow());
            update(connection, "update outbox set published_at = now() where id = ?", id);
          }
        });
  }
}
