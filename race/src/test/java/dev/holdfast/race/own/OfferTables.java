package dev.holdfast.race.own;

import dev.holdfast.race.Race;
import dev.holdfast.race.own.LeaseTables.Row;
import dev.holdfast.testing.TestSchema;
import org.jspecify.annotations.Nullable;

/**
 * The tables of leases on PostgreSQL, and one of what is told beside the row: notifications, and
 * that a transaction needs not be on the disk when it ends.
 */
final class OfferTables {
  static final String TOLD = " from heard where what <> 'unflushed'";

  private static final String NOTIFY = "pg_notify('holdfast_lease', ";
  private static final String UNFLUSHED = "set_config('synchronous_commit', 'off', true)";
  private static final String MOMENT = "interval '50 ms'";

  private OfferTables() {}

  static void make(TestSchema schema) {
    LeaseTables.make(schema);
    schema.execute(
        "create table if not exists heard (what text not null)",
        "delete from heard",
        "create or replace function hear(what text) returns void language sql"
            + " begin atomic insert into heard values (what); end",
        "create or replace function unflushed() returns void language sql"
            + " begin atomic insert into heard values ('unflushed'); end");
  }

  /** A row, and whom the last release has told. */
  static Race given(Race race, Row row, @Nullable String told) {
    LeasePrograms.given(race, row);
    return told == null
        ? race
        : race.given(
            "update holdfast_lease set told = '" + told + "' where kind = 0 and name = 'lease'");
  }

  /** What would be told is written down. */
  static Mutation heard(Mutation mutation) {
    return mutation
        .rewriting(NOTIFY, NOTIFY, "hear(")
        .rewriting(UNFLUSHED, UNFLUSHED, "unflushed()");
  }

  /** Likewise, and offers outlast any test. */
  static Mutation lasting(Mutation mutation) {
    return heard(mutation).rewriting(MOMENT, MOMENT, "interval '30 years'");
  }
}
