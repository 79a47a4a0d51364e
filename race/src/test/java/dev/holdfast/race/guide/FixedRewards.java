package dev.holdfast.race.guide;

import static dev.holdfast.race.guide.Coupons.run;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The mark and the points are committed together, or not at all. */
final class FixedRewards extends Rewards {
  private static final String MARK =
      "update orders set rewarded = true where id = ? and not rewarded";

  @Override
  void reward(DataSource dataSource, long order, long customer) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      if (run(connection, MARK, order) == 1) {
        run(connection, "update customers set points = points + 50 where id = ?", customer);
      }
      connection.commit();
    }
  }
}
