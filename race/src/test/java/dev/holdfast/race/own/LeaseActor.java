package dev.holdfast.race.own;

import dev.holdfast.Holdfast;
import dev.holdfast.internal.lease.store.SqlLeaseStore;
import dev.holdfast.lease.Lease;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseRequest.Target;
import dev.holdfast.lease.spi.LeaseStore;
import dev.holdfast.lease.spi.LeaseStore.AcquireResult;
import dev.holdfast.lease.spi.LeaseStore.Ownership;
import dev.holdfast.lease.spi.LeaseStore.ReleaseResult;
import dev.holdfast.lease.spi.LeaseStore.Request;
import dev.holdfast.lease.spi.LeaseStore.Successor;
import dev.holdfast.lease.spi.LeaseStore.WaitRegistration;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** One acquisition, which asks the store what the engine asks, and goes inside when it is let. */
final class LeaseActor {
  /** Longer than any test, and longer than who is slow asks for. */
  static final Duration LONG = Duration.ofDays(14_600);

  static final WaitRegistration MARKED = new WaitRegistration(LONG, false);
  static final WaitRegistration QUEUED = new WaitRegistration(LONG, true);

  private static final Duration HOUR = Duration.ofHours(1);

  private static final String ENTER =
      "update work set wrong = wrong + case when inside is not null or token >= ? then 1 else 0"
          + " end, inside = ?, token = ?, first = coalesce(first, ?), times = times + 1";

  private static final String LEAVE =
      "update work set wrong = wrong + case when coalesce(inside, '') <> ? then 1 else 0 end,"
          + " inside = null";

  /** Somebody who is never inside has got a token. */
  private static final String SEEN =
      "update work set wrong = wrong + case when token >= ? then 1 else 0 end, token = ?";

  final LeaseStore store;
  private final String who;
  private final String process;
  private final Target target;
  private final DataSource dataSource;

  LeaseActor(String who, Target target, Mutation mutation, DataSource dataSource) {
    this(who, who, target, mutation, dataSource);
  }

  LeaseActor(String who, String process, Target target, Mutation mutation, DataSource dataSource) {
    DataSource mutated = mutation.over(who, dataSource);
    this.who = who;
    this.process = process;
    this.target = target;
    this.dataSource = dataSource;
    this.store = SqlLeaseStore.create(mutated, Holdfast.create(mutated).dialect(), null, 1);
  }

  private void write(String sql, Object... values) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      statement.executeUpdate();
    }
  }

  void note(String what) throws SQLException {
    write("insert into notes values (?, ?)", who, what);
  }

  /** Notes how far a token is from the one that was there beforehand. */
  void note(long token) throws SQLException {
    note(String.valueOf(token - LeaseTables.TOKEN));
  }

  void enter(long token) throws SQLException {
    write(ENTER, token, who, token, who);
  }

  void leave() throws SQLException {
    write(LEAVE, who);
  }

  private LeaseKey key() {
    return target.key();
  }

  private Ownership hold() {
    return new Ownership(key(), LeaseTables.owner(who));
  }

  private Request request(@Nullable WaitRegistration waiting) {
    return new Request(target, LeaseTables.owner(who), process, LONG, waiting);
  }

  AcquireResult ask(@Nullable WaitRegistration waiting) {
    return store.acquire(request(waiting));
  }

  /** Goes inside if it gets the lease, and stays there. */
  void enterIfFree() throws SQLException {
    if (ask(null) instanceof AcquireResult.Granted granted) {
      enter(granted.token());
    }
  }

  /** Goes inside if it gets the lease, and keeps it until it is outside again. */
  boolean work(@Nullable WaitRegistration waiting) throws SQLException {
    if (!(ask(waiting) instanceof AcquireResult.Granted granted)) {
      return false;
    }
    work(granted.token());
    return true;
  }

  /** Likewise with the lease that it has. */
  void work(long token) throws SQLException {
    enter(token);
    if (store.renew(hold(), LONG) == Lease.RenewResult.LOST) {
      note("lost");
    }
    leave();
    if (!(release() instanceof ReleaseResult.Released)) {
      note("lost");
    }
  }

  /** As somebody does who has not heard of what has happened meanwhile. */
  boolean renew() {
    return store.renew(hold(), HOUR) == Lease.RenewResult.RENEWED;
  }

  ReleaseResult release() {
    return store.release(hold(), null);
  }

  void withdraw() {
    store.cancelWait(key(), process);
  }

  ReleaseResult handOver(LeaseActor next, boolean unlessOthersWait) {
    return store.release(hold(), new Successor(next.request(null), unlessOthersWait));
  }

  OptionalLong force() throws SQLException {
    OptionalLong token = store.forceRelease(key());
    if (token.isPresent()) {
      write(SEEN, token.getAsLong(), token.getAsLong());
    }
    return token;
  }
}
