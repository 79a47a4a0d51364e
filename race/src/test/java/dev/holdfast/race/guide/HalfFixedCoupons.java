package dev.holdfast.race.guide;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The update has a guard, and nobody asks whether it let the update pass. */
final class HalfFixedCoupons extends Coupons {
  @Override
  void redeem(DataSource dataSource, String code, String customer) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (isUsed(connection, code)) {
        throw new IllegalStateException("coupon " + code + " is used");
      }
      run(connection, "update coupons set used = true where code = ? and not used", code);
      run(connection, "insert into redemptions (code, customer) values (?, ?)", code, customer);
      connection.commit();
    }
  }
}
