package dev.holdfast.race.guide;

import static dev.holdfast.race.guide.Coupons.count;
import static dev.holdfast.race.guide.Coupons.run;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Points for an order, in two transactions: whoever dies between them gives the points twice. */
class Rewards {
  void reward(DataSource dataSource, long order, long customer) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      if (count(connection, "select count(*) from orders where id = ? and not rewarded", order)
          == 1) {
        run(connection, "update customers set points = points + 50 where id = ?", customer);
        run(connection, "update orders set rewarded = true where id = ?", order);
      }
    }
  }
}
