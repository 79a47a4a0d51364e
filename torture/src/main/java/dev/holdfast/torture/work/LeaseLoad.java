package dev.holdfast.torture.work;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseTakenException;
import dev.holdfast.lease.LeaseTarget;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.sql.Transaction;
import dev.holdfast.torture.history.History;
import dev.holdfast.torture.history.Kind;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Competes for leases, and writes behind a fence under those that are exclusive. */
final class LeaseLoad {
  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final int CAPACITY = 2;
  private static final String WRITE = "INSERT INTO torture_write (name, token) VALUES (?, ?)";

  private final Context context;
  private final History history;

  LeaseLoad(Context context) {
    this.context = context;
    this.history = context.history();
  }

  void start() {
    Leases leases = context.holdfast().leases().named(context.process());
    loop(leases, LeaseTarget.exclusive("exclusive-0"), true);
    loop(leases, LeaseTarget.exclusive("exclusive-1"), true);
    loop(leases.fair(), LeaseTarget.exclusive("fair-0"), true);
    loop(leases, LeaseTarget.permit("permit-0", CAPACITY), false);
    loop(leases, LeaseTarget.write("write-0"), true);
  }

  private void loop(Leases leases, LeaseTarget target, boolean fenced) {
    context.pace().loop("lease-" + target.key().name(), 150, () -> hold(leases, target, fenced));
  }

  private void hold(Leases leases, LeaseTarget target, boolean fenced) throws InterruptedException {
    String name = target.key().name();
    history.add(Kind.LEASE_INTENT, name, WAIT.toMillis());
    Lease lease;
    try {
      lease = leases.acquire(target, context.lease(), WAIT);
    } catch (LeaseTakenException e) {
      history.add(Kind.LEASE_NONE, name, "taken");
      return;
    } catch (HoldfastException e) {
      history.add(Kind.LEASE_NONE, name, e);
      return;
    }
    history.add(Kind.LEASE_HELD, name, lease.token());
    if (fenced) {
      write(name, lease.token());
      valid(name, lease);
    }
    Thread.sleep(ThreadLocalRandom.current().nextInt(10, 60));
    valid(name, lease);
    try {
      history.add(Kind.LEASE_RELEASED, name, lease.token(), lease.release());
    } catch (HoldfastException e) {
      history.add(Kind.LEASE_RELEASED, name, lease.token(), e);
    }
  }

  /** The time is taken before it asks, so that it was valid then. */
  private void valid(String name, Lease lease) {
    long before = System.nanoTime();
    if (lease.isValid()) {
      history.addAt(before, Kind.LEASE_VALID, name, lease.token());
    }
  }

  private void write(String name, long token) {
    try (Connection connection = context.own().getConnection()) {
      connection.setAutoCommit(false);
      try {
        context.holdfast().fence().check(Transaction.of(connection), name, token);
        try (PreparedStatement insert = connection.prepareStatement(WRITE)) {
          insert.setString(1, name);
          insert.setLong(2, token);
          insert.executeUpdate();
        }
        connection.commit();
        history.add(Kind.WRITE_OK, name, token);
      } catch (StaleTokenException e) {
        connection.rollback();
        history.add(Kind.WRITE_REFUSED, name, token);
      }
    } catch (SQLException | HoldfastException e) {
      history.add(Kind.WRITE_UNKNOWN, name, token, e);
    }
  }
}
