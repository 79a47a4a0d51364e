package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Sql.lock;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import dev.holdfast.transaction.SqlError;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Codes that may be used once, or so often. */
final class Coupons {

  private static final String COUPONS =
      """
      create table coupons (
        code varchar(20) primary key, used int not null, max_uses int not null)
      """;
  private static final String ORDERS =
      """
      create table orders (
        id serial primary key, coupon varchar(20), customer varchar(40) not null,
        total decimal(10, 2) not null, created_at timestamp default current_timestamp)
      """;
  private static final String INSERT_ORDER =
      "insert into orders (coupon, customer, total) values (?, ?, ?)";
  private static final BigDecimal TOTAL = new BigDecimal("49.90");

  private Coupons() {}

  static List<Bug> bugs() {
    return List.of(useLimit(), vouchers(), couponHistory(), ignoredRowCount(), wrongRowLocked());
  }

  /** magento/magento2#6364: the uses are read, counted up in Java and written back. */
  private static Bug useLimit() {
    return Bug.named("#1 coupon used beyond its limit")
        .alsoOnMariaDb()
        .tables(COUPONS, ORDERS)
        .rows("insert into coupons values ('WELCOME10', 4, 5)")
        .broken(two(Coupons::orderCountingInJava))
        .fixed(two(Coupons::orderCountingInSql))
        .invariant("one use was left", "select count(*) <= 1 from orders");
  }

  private static void orderCountingInJava(DataSource ds, String customer) throws SQLException {
    try (Connection connection = ds.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement select =
          connection.prepareStatement("select used, max_uses from coupons where code = ?")) {
        select.setString(1, "WELCOME10");
        try (ResultSet coupon = select.executeQuery()) {
          coupon.next();
          int used = coupon.getInt("used");
          if (used >= coupon.getInt("max_uses")) {
            throw new IllegalStateException("coupon is used up");
          }
          update(connection, INSERT_ORDER, "WELCOME10", customer, TOTAL);
          update(connection, "update coupons set used = ? where code = ?", used + 1, "WELCOME10");
        }
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        connection.rollback();
        throw e;
      }
    }
  }

  private static void orderCountingInSql(DataSource ds, String customer) throws SQLException {
    transaction(
        ds,
        connection -> {
          int rows =
              update(
                  connection,
                  "update coupons set used = used + 1 where code = ? and used < max_uses",
                  "WELCOME10");
          if (rows == 0) {
            throw new IllegalStateException("coupon is used up");
          }
          update(connection, INSERT_ORDER, "WELCOME10", customer, TOTAL);
        });
  }

  /** django-oscar/django-oscar#2101, #4580: nothing but a query keeps it from being used twice. */
  private static Bug vouchers() {
    return Bug.named("#7 voucher applied twice")
        .alsoOnMariaDb()
        .tables(
            """
            create table voucher_applications (
              id serial primary key, voucher varchar(20) not null, customer varchar(40) not null,
              applied_at timestamp default current_timestamp)
            """)
        .fixedTables("create unique index voucher_once on voucher_applications (voucher)")
        .broken(two(Coupons::applyIfNotApplied))
        .fixed(two(Coupons::applyOnce))
        .invariant("applied once", "select count(*) <= 1 from voucher_applications");
  }

  private static void applyIfNotApplied(DataSource ds, String customer) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (number(
                  connection,
                  "select count(*) from voucher_applications where voucher = ?",
                  "XMAS-77")
              > 0) {
            throw new IllegalStateException("voucher is used");
          }
          update(
              connection,
              "insert into voucher_applications (voucher, customer) values (?, ?)",
              "XMAS-77",
              customer);
        });
  }

  private static void applyOnce(DataSource ds, String customer) throws SQLException {
    try {
      applyIfNotApplied(ds, customer);
    } catch (SQLException e) {
      if (SqlError.of(e) == SqlError.UNIQUE_VIOLATION) {
        throw new IllegalStateException("voucher is used", e);
      }
      throw e;
    }
  }

  /** macrozheng/mall#1003: the coupon is marked as used by its id alone. */
  private static Bug couponHistory() {
    return Bug.named("#31 one coupon for two orders")
        .alsoOnMariaDb()
        .tables(
            ORDERS,
            """
            create table coupon_history (
              id int primary key, coupon varchar(20) not null, use_status int not null,
              use_time timestamp null)
            """)
        .rows("insert into coupon_history values (31, 'TEN', 0, null), (32, 'OLD', 1, now())")
        .broken(two((ds, who) -> useCoupon(ds, who, "where id = ?")))
        .fixed(two((ds, who) -> useCoupon(ds, who, "where id = ? and use_status = 0")))
        .invariant("one order per coupon", "select count(*) <= 1 from orders where coupon = 'TEN'");
  }

  private static void useCoupon(DataSource ds, String customer, String where) throws SQLException {
    transaction(
        ds,
        connection -> {
          if (number(connection, "select use_status from coupon_history where id = ?", 31) != 0) {
            throw new IllegalStateException("coupon is not valid");
          }
          update(connection, INSERT_ORDER, "TEN", customer, TOTAL);
          if (update(
                  connection,
                  "update coupon_history set use_status = 1, use_time = now() " + where,
                  31)
              == 0) {
            throw new IllegalStateException("coupon is not valid");
          }
        });
  }

  /** The guard is there, in the WHERE, but nobody asks whether it let the update pass. */
  private static Bug ignoredRowCount() {
    return Bug.named("row count of the guarded update ignored")
        .alsoOnMariaDb()
        .tables(COUPONS, ORDERS)
        .rows("insert into coupons values ('ONCE', 0, 1)")
        .broken(two((ds, who) -> markThenOrder(ds, who, false)))
        .fixed(two((ds, who) -> markThenOrder(ds, who, true)))
        .invariant("used once", "select count(*) <= 1 from orders");
  }

  private static void markThenOrder(DataSource ds, String customer, boolean lookAtRows)
      throws SQLException {
    transaction(
        ds,
        connection -> {
          if (number(connection, "select used from coupons where code = 'ONCE'") > 0) {
            throw new IllegalStateException("coupon is used");
          }
          int rows =
              update(connection, "update coupons set used = 1 where code = 'ONCE' and used = 0");
          if (lookAtRows && rows == 0) {
            throw new IllegalStateException("coupon is used");
          }
          update(connection, INSERT_ORDER, "ONCE", customer, TOTAL);
        });
  }

  /** Everybody locks the row of their own account, and then goes for the same coupon. */
  private static Bug wrongRowLocked() {
    return Bug.named("the wrong row locked")
        .alsoOnMariaDb()
        .tables(COUPONS, ORDERS, "create table customers (name varchar(40) primary key)")
        .rows(
            "insert into coupons values ('ONCE', 0, 1)",
            "insert into customers values ('Ana'), ('Ben')")
        .broken(
            two(
                (ds, who) ->
                    lockThenOrder(
                        ds, who, "select name from customers where name = ? for update", who)))
        .fixed(
            two(
                (ds, who) ->
                    lockThenOrder(
                        ds, who, "select code from coupons where code = ? for update", "ONCE")))
        .invariant("used once", "select count(*) <= 1 from orders");
  }

  private static void lockThenOrder(DataSource ds, String customer, String lock, String locked)
      throws SQLException {
    transaction(
        ds,
        connection -> {
          lock(connection, lock, locked);
          if (number(connection, "select used from coupons where code = 'ONCE'") > 0) {
            throw new IllegalStateException("coupon is used");
          }
          update(connection, "update coupons set used = used + 1 where code = 'ONCE'");
          update(connection, INSERT_ORDER, "ONCE", customer, TOTAL);
        });
  }
}
