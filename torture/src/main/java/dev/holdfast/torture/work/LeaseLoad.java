package dev.holdfast.torture.work;

import dev.holdfast.HoldfastException;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseNotAcquiredException;
import dev.holdfast.lease.LeaseRequest;
import dev.holdfast.lease.Leases;
import dev.holdfast.lease.StaleTokenException;
import dev.holdfast.torture.history.History;
import dev.holdfast.torture.history.Kind;
import dev.holdfast.transaction.Transaction;
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
  private final Leases leases;

  LeaseLoad(Context context) {
    this.context = context;
    this.history = context.history();
    this.leases = context.holdfast().leases();
  }

  void start() {
    loop(LeaseRequest.of("exclusive-0", context.lease()), true);
    loop(LeaseRequest.of("exclusive-1", context.lease()), true);
    loop(LeaseRequest.of("fair-0", context.lease()).fair(), true);
    loop(LeaseRequest.permits("permit-0", 1, CAPACITY, context.lease()), false);
    loop(LeaseRequest.write("write-0", context.lease()), true);
  }

  private void loop(LeaseRequest request, boolean fenced) {
    LeaseRequest waiting = request.waitTimeout(WAIT);
    context.pace().loop("lease-" + request.key().name(), 150, () -> hold(waiting, fenced));
  }

  private void hold(LeaseRequest request, boolean fenced) throws InterruptedException {
    String name = request.key().name();
    history.add(Kind.LEASE_INTENT, name, WAIT.toMillis());
    Lease lease;
    try {
      lease = leases.acquire(request);
    } catch (LeaseNotAcquiredException e) {
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
