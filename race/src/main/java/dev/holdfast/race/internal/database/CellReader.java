package dev.holdfast.race.internal.database;

import dev.holdfast.race.internal.model.Cell;
import dev.holdfast.race.internal.model.Cell.Kind;
import java.math.BigDecimal;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.HexFormat;
import java.util.Locale;

/** How the values of a column become text that can be compared. */
enum CellReader {
  NUMBER {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      String text = row.getString(column);
      return text == null ? Cell.NULL : number(text);
    }
  },
  TRUTH {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      String text = row.getString(column);
      if (text == null) {
        return Cell.NULL;
      }
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "t", "true", "1" -> new Cell(Kind.OTHER, "true");
        case "f", "false", "0" -> new Cell(Kind.OTHER, "false");
        default -> number(text);
      };
    }
  },
  INSTANT {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
      return time == null
          ? CellReader.text(Kind.TIME, row, column)
          : new Cell(Kind.TIME, time.toInstant().toString());
    }
  },
  TIMESTAMP {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      return time(row, column, LocalDateTime.class);
    }
  },
  DATE {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      return time(row, column, LocalDate.class);
    }
  },
  TIME {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      return time(row, column, LocalTime.class);
    }
  },
  OTHER_TIME {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      return CellReader.text(Kind.TIME, row, column);
    }
  },
  UUID {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      return CellReader.text(Kind.UUID, row, column);
    }
  },
  BYTES {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      byte[] bytes = row.getBytes(column);
      return bytes == null ? Cell.NULL : new Cell(Kind.OTHER, hex(bytes));
    }
  },
  TEXT {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      return CellReader.text(Kind.TEXT, row, column);
    }
  },
  OTHER {
    @Override
    Cell read(ResultSet row, int column) throws SQLException {
      return CellReader.text(Kind.OTHER, row, column);
    }
  };

  private static final int MAX_BYTES = 64;

  abstract Cell read(ResultSet row, int column) throws SQLException;

  static CellReader[] of(ResultSetMetaData columns) throws SQLException {
    CellReader[] readers = new CellReader[columns.getColumnCount()];
    for (int i = 0; i < readers.length; i++) {
      String type = Query.orEmpty(columns.getColumnTypeName(i + 1)).toLowerCase(Locale.ROOT);
      readers[i] = of(columns.getColumnType(i + 1), type);
    }
    return readers;
  }

  private static CellReader of(int type, String name) {
    return switch (name) {
      case "uuid" -> UUID;
      case "timestamptz" -> INSTANT;
      case "timetz" -> OTHER_TIME;
      case "bit", "varbit", "year" -> OTHER;
      default -> of(type);
    };
  }

  private static CellReader of(int type) {
    return switch (type) {
      case Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.REAL,
          Types.FLOAT,
          Types.DOUBLE,
          Types.DECIMAL,
          Types.NUMERIC ->
          NUMBER;
      case Types.BIT, Types.BOOLEAN -> TRUTH;
      case Types.TIMESTAMP -> TIMESTAMP;
      case Types.TIMESTAMP_WITH_TIMEZONE -> INSTANT;
      case Types.DATE -> DATE;
      case Types.TIME -> TIME;
      case Types.TIME_WITH_TIMEZONE -> OTHER_TIME;
      case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> BYTES;
      case Types.ARRAY -> OTHER;
      default -> TEXT;
    };
  }

  private static Cell text(Kind kind, ResultSet row, int column) throws SQLException {
    String text = row.getString(column);
    return text == null ? Cell.NULL : new Cell(kind, text);
  }

  /** Some values that a database has for a time, Java has not: MariaDB's 0000-00-00. */
  private static Cell time(ResultSet row, int column, Class<?> type) throws SQLException {
    Object time = row.getObject(column, type);
    return time == null ? text(Kind.TIME, row, column) : new Cell(Kind.TIME, time.toString());
  }

  private static Cell number(String text) {
    try {
      BigDecimal number = new BigDecimal(text);
      String plain = number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
      return new Cell(Kind.NUMBER, plain);
    } catch (NumberFormatException e) {
      // NaN, Infinity, money
      return new Cell(Kind.OTHER, text);
    }
  }

  private static String hex(byte[] bytes) {
    if (bytes.length <= MAX_BYTES) {
      return HexFormat.of().formatHex(bytes);
    }
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
      return bytes.length + " bytes, sha256 " + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
