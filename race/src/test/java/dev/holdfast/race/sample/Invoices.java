package dev.holdfast.race.sample;

import static dev.holdfast.race.sample.Cast.two;
import static dev.holdfast.race.sample.Cast.twoAnswers;
import static dev.holdfast.race.sample.Sql.answer;
import static dev.holdfast.race.sample.Sql.lock;
import static dev.holdfast.race.sample.Sql.number;
import static dev.holdfast.race.sample.Sql.transaction;
import static dev.holdfast.race.sample.Sql.update;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Numbers without gaps and without doubles. */
final class Invoices {

  private Invoices() {}

  static List<Bug> bugs() {
    return List.of(highestPlusOne(), advisoryLockGivenBackEarly(), namedLockGivenBackEarly());
  }

  private static final String INVOICES =
      """
      create table invoices (
        id serial primary key, tenant int not null, number int not null, customer varchar(40),
        issued_at timestamp default current_timestamp)
      """;
  private static final String NO_NUMBER_TWICE =
      "select count(*) = count(distinct number) from invoices where tenant = 3";

  /** It is in a transaction, so it must be safe. */
  private static Bug highestPlusOne() {
    return Bug.named("number by max + 1")
        .tables(INVOICES, "create table tenants (id int primary key, last_invoice int not null)")
        .rows(
            "insert into tenants values (3, 41)",
            "insert into invoices (tenant, number, customer) values (3, 41, 'Dora')")
        .broken(twoAnswers(Invoices::issueHighestPlusOne))
        .fixed(twoAnswers(Invoices::issueFromCounter))
        .invariant("no number twice", NO_NUMBER_TWICE);
  }

  private static long issueHighestPlusOne(DataSource ds, String customer) throws SQLException {
    return answer(ds, connection -> insertHighestPlusOne(connection, customer));
  }

  private static long insertHighestPlusOne(Connection connection, String customer)
      throws SQLException {
    long number =
        number(connection, "select coalesce(max(number), 0) + 1 from invoices where tenant = 3");
    insertInvoice(connection, number, customer);
    return number;
  }

  private static long issueFromCounter(DataSource ds, String customer) throws SQLException {
    return answer(
        ds,
        connection -> {
          long number =
              number(
                  connection,
                  """
                  update tenants set last_invoice = last_invoice + 1 where id = 3
                  returning last_invoice
                  """);
          insertInvoice(connection, number, customer);
          return number;
        });
  }

  private static void insertInvoice(Connection connection, long number, String customer)
      throws SQLException {
    update(
        connection,
        "insert into invoices (tenant, number, customer) values (3, ?, ?)",
        number,
        customer);
  }

  /** The lock is given back before the commit: the next one does not see the row yet. */
  private static Bug advisoryLockGivenBackEarly() {
    return Bug.named("advisory lock given back before the commit")
        .tables(INVOICES)
        .broken(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          lock(connection, "select pg_advisory_lock(3003)");
                          insertHighestPlusOne(connection, who);
                          lock(connection, "select pg_advisory_unlock(3003)");
                        })))
        .fixed(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          lock(connection, "select pg_advisory_xact_lock(3003)");
                          insertHighestPlusOne(connection, who);
                        })))
        .invariant("no number twice", NO_NUMBER_TWICE);
  }

  /** The same with the locks that MariaDB has for it. */
  private static Bug namedLockGivenBackEarly() {
    return Bug.named("named lock given back before the commit")
        .onlyOnMariaDb()
        .tables(INVOICES)
        .broken(
            two(
                (ds, who) ->
                    transaction(
                        ds,
                        connection -> {
                          lock(connection, "select get_lock('invoices', 10)");
                          insertHighestPlusOne(connection, who);
                          lock(connection, "select release_lock('invoices')");
                        })))
        .fixed(
            two(
                (ds, who) -> {
                  try (Connection connection = ds.getConnection()) {
                    lock(connection, "select get_lock('invoices', 10)");
                    connection.setAutoCommit(false);
                    insertHighestPlusOne(connection, who);
                    connection.commit();
                    lock(connection, "select release_lock('invoices')");
                    connection.commit();
                  }
                }))
        .invariant("no number twice", NO_NUMBER_TWICE);
  }
}
