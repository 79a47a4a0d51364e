package dev.holdfast.testing.contract;

import static java.util.concurrent.TimeUnit.SECONDS;

import dev.holdfast.guard.LockedRows;
import dev.holdfast.guard.RowLocks;
import dev.holdfast.transaction.Transaction;
import dev.holdfast.transaction.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;

/** Transfers with row locks, and the ways in which people get them wrong. */
final class RowLocksTwins {
  private RowLocksTwins() {}

  static TransferStorm.Transfer right(Transactions transactions) {
    return (from, to, cents) ->
        transactions.run(
            tx -> {
              LockedRows accounts = RowLocks.lock(tx, "accounts", List.of(from, to));
              setCents(tx, from, accounts.row("accounts", from).number("cents") - cents);
              setCents(tx, to, accounts.row("accounts", to).number("cents") + cents);
            });
  }

  /**
   * Locks one row after the other as they are named. The first two transfers, which are opposite,
   * meet when each has its first row; the others wait for that.
   */
  static TransferStorm.Transfer inTheOrderGiven(Transactions transactions) {
    CountDownLatch met = new CountDownLatch(1);
    CyclicBarrier bothHaveOne = new CyclicBarrier(2, met::countDown);
    AtomicInteger opening = new AtomicInteger();
    return (from, to, cents) ->
        transactions.run(
            tx -> {
              // account 1 to 2 and 2 to 1, each once
              int bit = from + to == 3 ? (int) from : 0;
              boolean opens = bit != 0 && (opening.getAndUpdate(seen -> seen | bit) & bit) == 0;
              if (!opens) {
                met.await(30, SECONDS);
              }
              long fromCents = lockCents(tx, from);
              if (opens) {
                bothHaveOne.await(30, SECONDS);
              }
              long toCents = lockCents(tx, to);
              setCents(tx, from, fromCents - cents);
              setCents(tx, to, toCents + cents);
            });
  }

  /** Reads without locks; the first transfer of each thread writes when all have read. */
  static TransferStorm.Transfer withoutLocks(Transactions transactions) {
    CyclicBarrier allHaveRead = new CyclicBarrier(TransferStorm.THREADS);
    ThreadLocal<Boolean> first = ThreadLocal.withInitial(() -> true);
    return (from, to, cents) ->
        transactions.run(
            tx -> {
              long low = Math.min(from, to);
              long high = Math.max(from, to);
              String balance = "select cents from accounts where id = ";
              long lowCents = Sql.number(tx.connection(), balance + low);
              long highCents = Sql.number(tx.connection(), balance + high);
              if (first.get()) {
                first.set(false);
                allHaveRead.await(30, SECONDS);
              }
              setCents(tx, low, lowCents + (from == low ? -cents : cents));
              setCents(tx, high, highCents + (from == high ? -cents : cents));
            });
  }

  private static long lockCents(Transaction tx, long id) throws SQLException {
    return Sql.number(
        tx.connection(), "select cents from accounts where id = " + id + " for update");
  }

  private static void setCents(Transaction tx, long id, long cents) throws SQLException {
    write(tx.connection(), "update accounts set cents = " + cents + " where id = " + id);
  }

  static int write(Connection connection, String change) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(change)) {
      return statement.executeUpdate();
    }
  }
}
