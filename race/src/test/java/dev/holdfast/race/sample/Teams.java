package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Sql.lock;
import static dev.holdfast.race.sample.Sql.maybeNumber;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Rules about several rows: somebody must be left, nothing may hang in the air. */
final class Teams {

  private static final String TEAMS = "create table teams (id int primary key, name varchar(40))";
  private static final String MEMBERS =
      """
      create table members (
        team int not null, name varchar(40) not null, role varchar(10) not null,
        joined_at timestamp default current_timestamp, primary key (team, name))
      """;
  private static final String[] TWO_OWNERS = {
    "insert into teams values (5, 'Search')",
    """
    insert into members (team, name, role)
    values (5, 'Ana', 'owner'), (5, 'Ben', 'owner'), (5, 'Cleo', 'member')
    """
  };
  private static final String OWNERS =
      "select count(*) from members where team = 5 and role = 'owner'";
  private static final String OWNER_LEFT =
      "select count(*) >= 1 from members where team = 5 and role = 'owner'";
  private static final String LOCK_TEAM = "select id from teams where id = 5 for update";

  private Teams() {}

  static List<Bug> bugs() {
    return List.of(lastOwner(), lockAfterSnapshot(), lastOwnerDeleted(), project(), quotaTrigger());
  }

  /** raystack/frontier#1590, influxdata/chronograf#2665. */
  private static Bug lastOwner() {
    return Bug.named("#21 the last owner steps down (write skew)")
        .alsoOnMariaDb()
        .tables(TEAMS, MEMBERS)
        .rows(TWO_OWNERS)
        .broken(two((ds, who) -> transaction(ds, connection -> stepDown(connection, who))))
        .fixed(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          lock(connection, LOCK_TEAM);
                          stepDown(connection, who);
                        })))
        .invariant("an owner is left", OWNER_LEFT);
  }

  private static void stepDown(Connection connection, String who) throws SQLException {
    if (number(connection, OWNERS) <= 1) {
      throw new IllegalStateException("the last owner cannot step down");
    }
    update(connection, "update members set role = 'member' where team = 5 and name = ?", who);
  }

  /** The team is locked, but at REPEATABLE READ all is seen as it was before the lock. */
  private static Bug lockAfterSnapshot() {
    return Bug.named("the lock comes after the snapshot")
        .onlyOnMariaDb()
        .tables(TEAMS, MEMBERS)
        .rows(TWO_OWNERS)
        .broken(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          requireMember(connection, who);
                          lock(connection, LOCK_TEAM);
                          stepDown(connection, who);
                        })))
        .fixed(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          lock(connection, LOCK_TEAM);
                          requireMember(connection, who);
                          stepDown(connection, who);
                        })))
        .invariant("an owner is left", OWNER_LEFT);
  }

  private static void requireMember(Connection connection, String who) throws SQLException {
    if (maybeNumber(connection, "select team from members where name = ?", who).isEmpty()) {
      throw new IllegalStateException("not a member");
    }
  }

  /** The rule is in the statement itself, which sees the other one's row until it is committed. */
  private static Bug lastOwnerDeleted() {
    return Bug.named("the last owner leaves, guarded by a subselect")
        .tables(TEAMS, MEMBERS)
        .rows(TWO_OWNERS)
        .broken(two(Teams::leave))
        .fixed(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          lock(connection, LOCK_TEAM);
                          requireOne(update(connection, LEAVE, who));
                        })))
        .invariant("an owner is left", OWNER_LEFT);
  }

  private static final String LEAVE =
      """
      delete from members
       where team = 5 and name = ?
         and (select count(*) from members where team = 5 and role = 'owner') > 1
      """;

  private static void leave(DataSource ds, String who) throws SQLException {
    requireOne(update(ds, LEAVE, who));
  }

  private static void requireOne(int rows) {
    if (rows == 0) {
      throw new IllegalStateException("the last owner cannot leave");
    }
  }

  /** A project without tasks is deleted while it gets its first one; there is no foreign key. */
  private static Bug project() {
    return Bug.named("a task of a project that is gone")
        .tables(
            "create table projects (id int primary key, name varchar(40))",
            """
            create table tasks (
              id uuid default gen_random_uuid() primary key, project int not null, title text,
              created_at timestamptz default now())
            """)
        .rows("insert into projects values (9, 'Attic')")
        .broken(
            race ->
                race.actor("Ana adds", ds -> addTask(ds, ""))
                    .actor("Ben deletes", ds -> deleteProject(ds, "")))
        .fixed(
            race ->
                race.actor("Ana adds", ds -> addTask(ds, " for share"))
                    .actor("Ben deletes", ds -> deleteProject(ds, " for update")))
        .invariant(
            "every task has a project",
            "select count(*) = 0 from tasks where project not in (select id from projects)");
  }

  private static void addTask(DataSource ds, String lock) throws SQLException {
    transaction(
        ds,
        connection -> {
          number(connection, "select id from projects where id = 9" + lock);
          update(connection, "insert into tasks (project, title) values (9, 'clean up')");
        });
  }

  private static void deleteProject(DataSource ds, String lock) throws SQLException {
    transaction(
        ds,
        connection -> {
          number(connection, "select id from projects where id = 9" + lock);
          if (number(connection, "select count(*) from tasks where project = 9") > 0) {
            throw new IllegalStateException("there are tasks");
          }
          update(connection, "delete from projects where id = 9");
        });
  }

  /** The check is in a trigger, where it is as blind as anywhere else. */
  private static Bug quotaTrigger() {
    String trigger =
        """
        create or replace function check_quota() returns trigger language plpgsql as $$
        begin
          %s
          if (select count(*) from members where team = new.team)
              >= (select size from team_sizes where team = new.team) then
            raise exception 'the team is full';
          end if;
          return new;
        end $$
        """;
    return Bug.named("a quota that a trigger checks")
        .tables(
            MEMBERS,
            "create table team_sizes (team int primary key, size int not null)",
            trigger.formatted(""),
            """
            create trigger quota before insert on members
            for each row execute function check_quota()
            """)
        .fixedTables(
            trigger.formatted("perform 1 from team_sizes where team = new.team for update;"))
        .rows("insert into team_sizes values (6, 1)")
        .broken(two(Teams::join))
        .fixed(two(Teams::join))
        .invariant("one place", "select count(*) <= 1 from members where team = 6");
  }

  private static void join(DataSource ds, String who) throws SQLException {
    update(ds, "insert into members (team, name, role) values (6, ?, 'member')", who);
  }
}
