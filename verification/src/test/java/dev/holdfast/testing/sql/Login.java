package dev.holdfast.testing.sql;

import com.zaxxer.hikari.util.DriverDataSource;
import java.util.Properties;
import javax.sql.DataSource;

/** Data sources without a pool, for other users than the owner of a test's schema. */
final class Login {
  private Login() {}

  static DataSource to(String url, String user, String password) {
    return new DriverDataSource(url, null, new Properties(), user, password);
  }
}
