package dev.holdfast.race.guide;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** What the guide begins with: it looks right, and every test of one thread passes. */
class Coupons {
  void redeem(DataSource dataSource, String code, String customer) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (isUsed(connection, code)) {
        throw new IllegalStateException("coupon " + code + " is used");
      }
      run(connection, "insert into redemptions (code, customer) values (?, ?)", code, customer);
      run(connection, "update coupons set used = true where code = ?", code);
      connection.commit();
    }
  }

  static boolean isUsed(Connection connection, String code) throws SQLException {
    String sql = "select used from coupons where code = ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, code);
      try (ResultSet coupon = statement.executeQuery()) {
        coupon.next();
        return coupon.getBoolean("used");
      }
    }
  }

  /** How many there are to use. */
  long unused(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return count(connection, "select count(*) from coupons where not used");
    }
  }

  static long count(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      try (ResultSet count = statement.executeQuery()) {
        count.next();
        return count.getLong(1);
      }
    }
  }

  /** How many rows it has changed. */
  static int run(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      return statement.executeUpdate();
    }
  }
}
