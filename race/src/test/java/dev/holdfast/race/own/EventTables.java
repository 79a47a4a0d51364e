package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.race.Race;
import dev.holdfast.testing.TestSchema;

/** Holdfast's tables, what is in them beforehand, and what must always hold of it. */
final class EventTables {
  /** An instance whose lease has run out. */
  static final long DEAD = 9;

  private static final String NOTES =
      "create table notes (who varchar(10) not null, what varchar(10) not null, id bigint not null,"
          + " version int not null)";

  private static final String INSTANCES =
      "insert into holdfast_instance (id, name, started_at, expires_at, stopped) values (1, 'Ana',"
          + " timestamp '2020-01-01 00:00:00', timestamp '2037-01-01 00:00:00', false), (2, 'Ben',"
          + " timestamp '2020-01-01 00:00:00', timestamp '2037-01-01 00:00:00', false), (3, 'Cem',"
          + " timestamp '2020-01-01 00:00:00', timestamp '2037-01-01 00:00:00', false), (9, 'dead',"
          + " timestamp '2020-01-01 00:00:00', timestamp '2020-01-02 00:00:00', false)";

  private static final String EVENT =
      "insert into holdfast_event (id, due_at, position_at, status, version, owner, attempts,"
          + " ordering_key, shard, priority, crashes, created_at, cancel_requested, queue, type,"
          + " payload) values (%d, timestamp '2020-01-01 00:00:0%d', timestamp '2020-01-01"
          + " 00:00:0%d', %s, 0, 5, 0, timestamp '2020-01-01 00:00:00', false, 'q', 't', 'x')";

  private EventTables() {}

  static void make(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(NOTES);
  }

  static String instances() {
    return INSTANCES;
  }

  /** Due by its number. */
  static String pending(long id) {
    return EVENT.formatted(id, id, id, "0, 1, null, 0, null");
  }

  /** In the hands of an instance, at version 2. */
  static String processing(long id, long owner) {
    return EVENT.formatted(id, id, id, "1, 2, " + owner + ", 1, null");
  }

  static String failed(long id) {
    return "insert into holdfast_event_history (id, due_at, position_at, created_at, ended_at,"
        + " shard, status, priority, version, attempts, crashes, queue, type, payload) select "
        + id
        + ", t, t, t, t, 0, 3, 5, 2, 1, 0, 'q', 't', 'x' from (select timestamp '2020-01-01"
        + " 00:00:00' as t) once";
  }

  static String keyed(long id, String key) {
    return "insert into holdfast_event_key (shard, event_key, id, fingerprint, created_at) values"
        + " (0, '%s', %d, 'x', timestamp '2020-01-01 00:00:00')".formatted(key, id);
  }

  static String ordered(long id, String state, int position) {
    return EVENT.formatted(id, id, position, state + ", 'k'");
  }

  /** Nobody is told to have changed what another has changed, and nothing is lost. */
  static Race holding(Race race, int events) {
    return race.invariant(
            "each version is changed by one",
            "select count(*) = 0 from (select id from notes group by id, version having count(*) >"
                + " 1) twice")
        .invariant(
            "who has claimed an event has it until the end",
            "select count(*) = 0 from notes c where what = 'claimed' and not exists (select 1 from"
                + " notes e where e.what in ('ended', 'put back') and e.who = c.who and e.id = c.id"
                + " and e.version = c.version + 1)")
        .invariant(
            "an event ends once",
            "select count(*) = 0 from (select id from notes where what in ('ended', 'cancelled')"
                + " group by id having count(*) > 1) twice")
        .invariant(
            "who has an event is known",
            "select count(*) = 0 from holdfast_event where status = 1 and owner is null")
        .invariant(
            "no event is lost or doubled",
            "select (select count(*) from holdfast_event) + (select count(*) from"
                + " holdfast_event_history) = "
                + events);
  }
}
