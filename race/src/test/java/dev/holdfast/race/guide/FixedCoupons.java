package dev.holdfast.race.guide;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Check and change are one statement, and its row count is looked at. */
final class FixedCoupons extends Coupons {
  @Override
  void redeem(DataSource dataSource, String code, String customer) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (run(connection, "update coupons set used = true where code = ? and not used", code)
          == 0) {
        throw new IllegalStateException("coupon " + code + " is used");
      }
      run(connection, "insert into redemptions (code, customer) values (?, ?)", code, customer);
      connection.commit();
    }
  }
}
