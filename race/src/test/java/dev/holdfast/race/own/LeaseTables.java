package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.lease.LeaseKey;
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

/** The tables of leases, what is in them beforehand, and what must always hold of it. */
final class LeaseTables {
  /** Greater than the clock in microseconds, so that the next one is always one more. */
  static final long TOKEN = 9_000_000_000_000_000L;

  static final String PAST = "2020-01-01 00:00:00";
  static final String FUTURE = "2099-01-01 00:00:00";

  /** What only a holder does: it is inside then. Each change of it is one statement. */
  private static final String WORK =
      "create table if not exists work (one int primary key, inside varchar(10), first varchar(10),"
          + " token bigint not null, times int not null, wrong int not null)";

  private static final String NOTES =
      "create table if not exists notes (who varchar(10) not null, what varchar(10) not null)";

  private static final String UNTOUCHED =
      " token = "
          + TOKEN
          + " and expires_at = timestamp '2099-01-01 00:00:00' and (name = 'other' or kind = 2)";

  private LeaseTables() {}

  /** Makes them, or empties those of another program. */
  static void make(TestSchema schema) {
    Holdfast.create(schema.dataSource()).migrations().migrate();
    schema.execute(WORK, NOTES);
    for (String table :
        List.of("work", "notes", "holdfast_lease", "holdfast_lease_entry", "holdfast_fence")) {
      schema.execute("delete from " + table);
    }
  }

  /** Nobody is inside, and the last who was had this token. */
  static String work(long token) {
    return "insert into work values (1, null, null, " + token + ", 0, 0)";
  }

  static UUID owner(String who) {
    return new UUID(0, who.hashCode());
  }

  /** The row of a lease, with the token {@link #TOKEN}. */
  record Row(
      LeaseKey key,
      @Nullable String owner,
      boolean released,
      String until,
      @Nullable String waiting,
      @Nullable String waitingUntil)
      implements Setup {
    Row(LeaseKey key, @Nullable String owner, boolean released, String until) {
      this(key, owner, released, until, null, null);
    }

    /**
     * @param by a process; on PostgreSQL also several with commas between them
     */
    Row waitedFor(@Nullable String by, @Nullable String time) {
      return new Row(key, owner, released, until, by, time);
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
      boolean inLine = key.kind() == LeaseKey.Kind.EXCLUSIVE && isPostgreSql(connection);
      insert(
          connection,
          "insert into holdfast_lease (shard, kind, name, token, owner, holder, released,"
              + " acquired_at, expires_at, waiting, waiting_until, arrivals) values (0, ?, ?, "
              + TOKEN
              + ", ?, ?, "
              + released
              + ", timestamp '2020-01-01 00:00:00', timestamp '"
              + until
              + "', ?, "
              + (waitingUntil == null ? "null" : "timestamp '" + waitingUntil + "'")
              + ", 5)",
          key,
          owner,
          owner,
          inLine ? line(waiting) : waiting);
    }
  }

  private static boolean isPostgreSql(Connection connection) throws SQLException {
    return Dialect.of(connection).family().equals("postgresql");
  }

  /** The mark of processes with commas between them, as PostgreSQL has it. */
  static @Nullable String line(@Nullable String processes) {
    return processes == null || processes.startsWith("*")
        ? processes
        : "\n" + processes.replace(",", "\n\n") + "\n";
  }

  /** One of the holders of a lease, or of those who wait for it, at this place. */
  record Place(LeaseKey key, String owner, boolean held, int arrival, String until)
      implements Setup {
    @Override
    public void prepare(Connection connection) throws SQLException {
      insert(
          connection,
          "insert into holdfast_lease_entry (shard, kind, name, held, arrival, token, permits,"
              + " expires_at, owner, holder) values (0, ?, ?, "
              + held
              + ", "
              + arrival
              + ", "
              + TOKEN
              + ", 1, timestamp '"
              + until
              + "', ?, ?)",
          key,
          owner,
          owner);
    }
  }

  private static void insert(
      Connection connection,
      String sql,
      LeaseKey key,
      @Nullable String owner,
      @Nullable String... texts)
      throws SQLException {
    boolean bytes = Dialect.of(connection).family().equals("mysql");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setInt(1, code(key.kind()));
      statement.setObject(2, bytes ? key.name().getBytes(StandardCharsets.UTF_8) : key.name());
      UUID id = owner == null ? null : owner(owner);
      statement.setObject(3, bytes && id != null ? bytes(id) : id);
      for (int i = 0; i < texts.length; i++) {
        statement.setString(4 + i, texts[i]);
      }
      statement.executeUpdate();
    }
  }

  private static int code(LeaseKey.Kind kind) {
    return switch (kind) {
      case EXCLUSIVE -> 0;
      case READ_WRITE -> 1;
      case SEMAPHORE -> 2;
    };
  }

  private static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  /**
   * Leases beside the one that is raced for, of another name or kind and of the same owner, are
   * left alone; nobody is inside with another, or after who has a later token.
   */
  static Race holding(Race race) {
    for (LeaseKey key :
        new LeaseKey[] {
          LeaseKey.exclusive("other"), LeaseKey.readWrite("other"), LeaseKey.semaphore("lease")
        }) {
      race.given(new Row(key, "Ana", false, FUTURE).waitedFor("Nil", FUTURE))
          .given(new Place(key, "Ana", true, 0, FUTURE));
    }
    return race.invariant("never two holders, and tokens grow", "select wrong = 0 from work")
        .invariant(
            "who has it keeps it", "select count(*) = 0 from notes where what in ('lost', 'had')")
        .invariant(
            "others are left alone",
            "select count(*) = 3 from holdfast_lease where holder = 'Ana' and released = false and"
                + " waiting like '%Nil%' and"
                + UNTOUCHED)
        .invariant(
            "the places of others are left alone",
            "select count(*) = 3 from holdfast_lease_entry where held = true and" + UNTOUCHED);
  }
}
