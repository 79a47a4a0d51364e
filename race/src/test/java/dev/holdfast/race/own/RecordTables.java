package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.idempotency.Fingerprint;
import dev.holdfast.idempotency.IdempotencyKey;
import dev.holdfast.idempotency.spi.IdempotencyStore.Step;
import dev.holdfast.internal.idempotency.StepCodec;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.race.Race;
import dev.holdfast.race.Setup;
import dev.holdfast.testing.TestSchema;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table of idempotency records, what is in it beforehand, and what must always hold of it. */
final class RecordTables {
  static final String PAST = "2020-01-01 00:00:00";
  static final String FUTURE = "2099-01-01 00:00:00";

  static final IdempotencyKey KEY = key("key");
  static final Fingerprint PAYLOAD = Fingerprint.of("payload");
  static final Fingerprint OTHER = Fingerprint.of("other");

  static final Row RUN_OUT = Row.claimed("Dead", PAST);
  static final Row GIVEN_BACK = Row.claimed("Dead", FUTURE).lockReleasedBy();
  static final Row HELD = Row.claimed("Ana", FUTURE);

  /** Of a statement about the record, and that it is done. */
  static final String RECORD = " from holdfast_idempotency where idempotency_key = 'key'";

  static final String DONE = " and completed = true";

  /** The answer of who was there before. */
  static final String OLD = "Old";

  /** What is noted by who was told so, though nobody may have the claim. */
  static final String BUSY = "busy";

  private static final String WORK =
      "create table if not exists work (one int primary key, inside varchar(10), first varchar(10),"
          + " times int not null, wrong int not null)";

  private static final String NOTES =
      "create table if not exists notes (who varchar(10) not null, what varchar(20) not null)";

  private static final String ORDERS =
      "create table if not exists orders (who varchar(10) not null)";

  private RecordTables() {}

  /** Makes them, or empties those of another program. */
  static void make(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(WORK, NOTES, ORDERS);
    for (String table : List.of("work", "notes", "orders", "holdfast_idempotency")) {
      schema.execute("delete from " + table);
    }
  }

  static IdempotencyKey key(String name) {
    return IdempotencyKey.of("op", name);
  }

  static UUID attempt(String who) {
    return new UUID(0, who.hashCode());
  }

  /**
   * The record of a key, which was begun once.
   *
   * @param attempt who works on it, or did
   * @param until how long its claim lasts; null for that of a transaction
   * @param reply what was answered, if it is done
   */
  record Row(
      IdempotencyKey key,
      Fingerprint fingerprint,
      String attempt,
      boolean released,
      @Nullable String until,
      String kept,
      @Nullable String flow,
      @Nullable String step,
      @Nullable String reply)
      implements Setup {
    static Row claimed(String attempt, @Nullable String until) {
      return new Row(KEY, PAYLOAD, attempt, false, until, FUTURE, null, null, null);
    }

    static Row doneUntil(String kept) {
      return new Row(KEY, PAYLOAD, "Nil", false, null, kept, null, null, OLD);
    }

    Row of(String name) {
      return new Row(
          RecordTables.key(name), OTHER, attempt, released, until, kept, flow, step, reply);
    }

    Row lockReleasedBy() {
      return new Row(key, fingerprint, attempt, true, until, kept, flow, step, reply);
    }

    Row kept(String kept) {
      return new Row(key, fingerprint, attempt, released, until, kept, flow, step, reply);
    }

    Row flow(String flow) {
      return new Row(key, fingerprint, attempt, released, until, kept, flow, step, reply);
    }

    Row done(String reply) {
      return new Row(key, fingerprint, attempt, released, until, kept, flow, step, reply);
    }

    Row step(String step) {
      return new Row(key, fingerprint, attempt, released, until, kept, flow, step, reply);
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
      boolean bytes = Dialect.of(connection).family().equals("mysql");
      String sql =
          "insert into holdfast_idempotency (shard, id, tenant, principal, operation,"
              + " idempotency_key, fingerprint, owner_id, attempts, completed, released,"
              + " started_at, lease_until, expires_at, workflow, input, steps, result_kind, result)"
              + " values (0, ?, '', '', ?, ?, ?, ?, 1, "
              + (reply != null)
              + ", "
              + released
              + ", "
              + time(PAST)
              + ", "
              + time(until)
              + ", "
              + time(kept)
              + ", ?, ?, ?, "
              + (reply == null ? "null" : "0")
              + ", ?)";
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        UUID id = RecordTables.attempt(attempt);
        statement.setBytes(1, key.digest());
        statement.setString(2, key.operation());
        statement.setString(3, key.key());
        statement.setBytes(4, fingerprint.sha256());
        statement.setObject(5, bytes ? bytes(id) : id);
        statement.setString(6, flow);
        statement.setBytes(7, flow == null ? null : bytes("input"));
        statement.setBytes(8, step == null ? null : StepCodec.write(new Step(step, bytes(OLD))));
        statement.setBytes(9, reply == null ? null : bytes(reply));
        statement.executeUpdate();
      }
    }
  }

  private static String time(@Nullable String time) {
    return time == null ? "null" : "timestamp '" + time + "'";
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  /** The claims of a key run out, as when time passes and nobody renews them. */
  static final String TIME_PASSES =
      "update holdfast_idempotency set lease_until = timestamp '2020-01-01 00:00:00' where"
          + " idempotency_key = 'key' and lease_until is not null and completed = false";

  /** A query for what holds where nobody was turned away. */
  static String unlessBusy(String query) {
    return "select (" + query + ") or exists (select 1 from notes where what = '" + BUSY + "')";
  }

  /**
   * Records of other keys are left alone, although they are of those who race; nobody works on the
   * request with another, and whoever is told an answer is told the first.
   */
  static Race beside(Race race) {
    return race.given("insert into work values (1, null, null, 0, 0)")
        .given(Row.claimed("Ana", FUTURE).of("held"))
        .given(Row.claimed("Dead", PAST).of("left"))
        .given(Row.claimed("Dead", FUTURE).lockReleasedBy().of("back"))
        .given(Row.claimed("Dead", FUTURE).done(OLD).of("done"))
        .invariant("never two at once", "select wrong = 0 and times <= 1 from work")
        .invariant("never two orders", "select count(*) <= 1 from orders")
        .invariant(
            "who has it keeps it, and who has not has nothing",
            "select count(*) = 0 from notes where what in ('lost', 'had')")
        .invariant(
            "others are left alone",
            "select count(*) = 4 from holdfast_idempotency where attempts = 1 and steps is null and"
                + " expires_at = timestamp '2099-01-01 00:00:00' and (idempotency_key = 'held' and"
                + " completed = false and released = false and lease_until = timestamp '2099-01-01"
                + " 00:00:00' or idempotency_key = 'left' and completed = false and released ="
                + " false and lease_until = timestamp '2020-01-01 00:00:00' or idempotency_key ="
                + " 'back' and completed = false and released = true or idempotency_key = 'done'"
                + " and completed = true and released = false)");
  }
}
