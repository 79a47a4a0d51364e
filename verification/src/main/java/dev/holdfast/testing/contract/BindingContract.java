package dev.holdfast.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.internal.sql.Dialect;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.transaction.Isolation;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Every usual value goes into a column and comes back the same, and is found by itself. */
public abstract class BindingContract extends FloorContract {
  /** An enum that does not print as it is called. */
  protected enum Size {
    SMALL,
    LARGE {
      @Override
      public String toString() {
        return "grande";
      }
    };

    @Override
    public String toString() {
      return "petit";
    }
  }

  /** Some moments, the third and the fourth of which clocks in Madrid show as the same. */
  protected static final List<String> ALL_MOMENTS =
      List.of(
          "2026-11-15T09:00:00.123456Z",
          "1999-12-31T23:59:59.999999Z",
          "2026-10-25T00:30:00Z",
          "2026-10-25T01:30:00Z",
          "2026-03-29T01:30:00Z");

  private int tables;

  protected BindingContract(TestDatabase database) {
    super(database);
  }

  /** The type of columns for a moment in time. */
  protected abstract String momentType();

  /** The type of columns for texts without a limit. */
  protected abstract String textType();

  /** The type of columns for bytes. */
  protected abstract String bytesType();

  /** Sets the time zone of a session, given as an offset such as {@code +05:30}. */
  protected abstract String setTimeZone(String offset);

  /** The moment in the first column. */
  protected Instant moment(ResultSet row) throws SQLException {
    return row.getObject(1, OffsetDateTime.class).toInstant();
  }

  @Test
  void theDatabaseIsTheOneItIs() throws SQLException {
    try (Connection connection = connect()) {
      assertThat(Dialect.of(connection).product()).startsWith(database().name() + " ");
      assertThat(Dialect.of(connection)).hasToString(Dialect.of(connection).product());
    }
  }

  @Test
  void textComesBack() throws SQLException {
    for (String text :
        List.of("", " ", "it's", "a\"b\\c`d", "Größe", "日本語", "👩‍👩‍👧 🎉", "?", "%_")) {
      assertComesBack("varchar(100)", text, row -> row.getString(1), text);
    }
    String megabyte = "0123456789abcdé🎉".repeat(64 * 1024);
    try (Connection connection = connect()) {
      String table = insert(connection, textType(), megabyte);
      assertThat(read(connection, "select v from " + table, null, row -> row.getString(1)))
          .isEqualTo(megabyte);
    }
  }

  @Test
  void numbersComeBack() throws SQLException {
    assertComesBack("bigint", Long.MIN_VALUE, row -> row.getLong(1), Long.MIN_VALUE);
    assertComesBack("integer", 7, row -> row.getInt(1), 7);
    assertComesBack("bigint", 7, row -> row.getLong(1), 7L);
    assertComesBack("integer", 7L, row -> row.getInt(1), 7);
    assertComesBack("smallint", (short) 7, row -> row.getShort(1), (short) 7);
    assertComesBack("double precision", 0.1, row -> row.getDouble(1), 0.1);
    BigDecimal price = new BigDecimal("12345678901234.5678");
    assertComesBack("decimal(20, 4)", price, row -> row.getBigDecimal(1), price);
    BigInteger huge = new BigInteger("12345678901234567890");
    assertComesBack("decimal(20, 0)", huge, row -> row.getBigDecimal(1), new BigDecimal(huge));
    assertComesBack("boolean", true, row -> row.getBoolean(1), true);
    assertComesBack("boolean", false, row -> row.getBoolean(1), false);
  }

  @Test
  void bytesComeBack() throws SQLException {
    byte[] bytes = {0, 1, -1, 39, 92, 127, -128};
    assertComesBack(bytesType(), bytes, row -> row.getBytes(1), bytes);
  }

  @Test
  void enumsAreKnownByTheirNames() throws SQLException {
    for (Size size : Size.values()) {
      assertComesBack("varchar(10)", size, row -> row.getString(1), size.name());
    }
    assertComesBack("varchar(20)", Isolation.SERIALIZABLE, row -> row.getString(1), "SERIALIZABLE");
  }

  @Test
  void uuidsComeBack() throws SQLException {
    UUID id = UUID.fromString("0b0e7f34-1d1c-4b55-9d3c-0d6f0a1a2b3c");
    assertComesBack("varchar(36)", id, row -> row.getString(1), id.toString());
    if (server != ServerProbe.MYSQL) {
      assertComesBack("uuid", id, row -> row.getString(1), id.toString());
      assertComesBack("uuid", id.toString(), row -> row.getString(1), id.toString());
    }
  }

  @Test
  void datesAndTimesComeBack() throws SQLException {
    LocalDate day = LocalDate.parse("2028-02-29");
    assertComesBack("date", day, row -> row.getObject(1, LocalDate.class), day);
    LocalTime time = LocalTime.parse("23:59:58");
    assertComesBack("time", time, row -> row.getObject(1, LocalTime.class), time);
    LocalDateTime both = LocalDateTime.parse("2026-11-15T09:00:00.123456");
    assertComesBack("timestamp(6)", both, row -> row.getObject(1, LocalDateTime.class), both);
  }

  @Test
  void momentsComeBackInAnyTimeZone() throws SQLException {
    inTimeZones(
        () -> {
          for (String offset : List.of("+00:00", "-08:00", "+05:30")) {
            try (Connection connection = connect()) {
              execute(connection, setTimeZone(offset));
              assertMomentsComeBack(connection, moments());
            }
          }
        });
  }

  /** The moments that are kept whatever the time zone of the JVM and of the session. */
  protected List<String> moments() {
    return ALL_MOMENTS;
  }

  /** Something that is done in several time zones. */
  @FunctionalInterface
  protected interface Step {
    void run() throws SQLException;
  }

  /** Runs {@code step} with the JVM in several time zones. */
  protected static void inTimeZones(Step step) throws SQLException {
    TimeZone before = TimeZone.getDefault();
    try {
      for (String zone : List.of("UTC", "America/St_Johns", "Asia/Kolkata", "Europe/Madrid")) {
        TimeZone.setDefault(TimeZone.getTimeZone(zone));
        step.run();
      }
    } finally {
      TimeZone.setDefault(before);
    }
  }

  /** Asserts that each moment comes back, is found, and is found by another offset. */
  protected final void assertMomentsComeBack(Connection connection, List<String> moments)
      throws SQLException {
    String table = insert(connection, momentType(), null);
    String find = "select v from " + table + " where v = ?";
    for (String text : moments) {
      Instant moment = Instant.parse(text);
      OffsetDateTime elsewhere = moment.atOffset(ZoneOffset.ofHours(3));
      execute(connection, "delete from " + table);
      insertInto(connection, table, moment);
      for (Object value : List.of(moment, elsewhere)) {
        assertThat(read(connection, find, value, this::moment))
            .as("%s with the JVM in %s", value, TimeZone.getDefault().getID())
            .isEqualTo(moment);
      }
    }
  }

  @Test
  void nullGoesIntoAnyColumn() throws SQLException {
    for (String type :
        List.of(
            "varchar(10)",
            "bigint",
            "decimal(10, 2)",
            "boolean",
            "date",
            "timestamp(6) null",
            momentType(),
            textType(),
            bytesType())) {
      try (Connection connection = connect()) {
        Dialect dialect = Dialect.of(connection);
        String table = insert(connection, type, null);
        String query = "select v from " + table + " where " + dialect.isSame("v", "?");
        assertThat(read(connection, query, null, row -> row.getObject(1) == null))
            .as(type)
            .isEqualTo(true);
      }
    }
  }

  /** How a value is read from the first column of a row. */
  @FunctionalInterface
  protected interface Reader {
    Object read(ResultSet row) throws SQLException;
  }

  /** Asserts that a value fits a type, comes back as {@code expected}, and finds itself. */
  protected final void assertComesBack(String type, Object value, Reader reader, Object expected)
      throws SQLException {
    try (Connection connection = connect()) {
      String table = insert(connection, type, value);
      String what = value + " in " + type;
      assertThat(read(connection, "select v from " + table, null, reader))
          .as(what)
          .isEqualTo(expected);
      assertThat(read(connection, "select v from " + table + " where v = ?", value, reader))
          .as("found: " + what)
          .isEqualTo(expected);
    }
  }

  private String insert(Connection connection, String type, @Nullable Object value)
      throws SQLException {
    String table = "t" + tables++;
    execute(connection, "create table " + table + " (v " + type + ")");
    insertInto(connection, table, value);
    return table;
  }

  private static void insertInto(Connection connection, String table, @Nullable Object value)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("insert into " + table + " values (?)")) {
      Dialect.of(connection).bind(insert, 1, value);
      assertThat(insert.executeUpdate()).isEqualTo(1);
    }
  }

  private static Object read(
      Connection connection, String query, @Nullable Object value, Reader reader)
      throws SQLException {
    try (PreparedStatement select = connection.prepareStatement(query)) {
      if (query.contains("?")) {
        Dialect.of(connection).bind(select, 1, value);
      }
      try (ResultSet row = select.executeQuery()) {
        assertThat(row.next()).as("a row for %s with %s", query, value).isTrue();
        return reader.read(row);
      }
    }
  }
}
