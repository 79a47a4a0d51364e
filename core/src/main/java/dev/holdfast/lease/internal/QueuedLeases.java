package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseKind;
import dev.holdfast.lease.LeaseStore.Acquired;
import dev.holdfast.lease.LeaseStore.Freed;
import dev.holdfast.lease.LeaseStore.Hold;
import dev.holdfast.lease.LeaseStore.Request;
import dev.holdfast.lease.LeaseStore.Waiting;
import dev.holdfast.lease.internal.LeaseHome.Limits;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Leases that are shared or have a queue. Each step is a transaction:
 *
 * <ol>
 *   <li>lock the row of the key, which is made where it is not there;
 *   <li>read those who hold it and those who wait;
 *   <li>decide, write, and tell the next one.
 * </ol>
 *
 * <p>An exclusive lease has its holder in the row itself, so that those who do not care for the
 * queue see it; a shared one has its holders among the entries.
 */
final class QueuedLeases {
  private final LeaseHome home;
  private final QueuedSql words;
  private final Hearing hearing;

  QueuedLeases(LeaseHome home, QueuedSql words, Hearing hearing) {
    this.home = home;
    this.words = words;
    this.hearing = hearing;
  }

  /** The row of a key while it is locked, and what belongs to it. */
  private record Locked(LockedRow row, Ledger ledger) {}

  private Locked lock(Connection connection, LeaseKey key) throws SQLException {
    LockedRow row = words.lock(connection, key);
    List<Entry> all = new ArrayList<>(living(connection, key));
    UUID owner = row.owner();
    if (owner != null && row.held()) {
      all.add(new Entry(owner, true, 0, row.token(), 1, row.left()));
    }
    return new Locked(row, Ledger.of(all));
  }

  /**
   * Those who have not run out. One who seems to have may be under renewal, which does not lock the
   * row of the key: only who could be removed has run out, so it is looked at again after that.
   */
  private List<Entry> living(Connection connection, LeaseKey key) throws SQLException {
    while (true) {
      List<Entry> all = words.entries(connection, key);
      if (all.stream().allMatch(Entry::isLive)) {
        return all;
      }
      words.removeDead(connection, key);
    }
  }

  Acquired acquire(Request request) {
    Waiting waiting = request.waiting();
    return home.call(
        "acquiring",
        request.key(),
        Limits.acquiring(request.lease(), waiting == null ? null : waiting.atMost()),
        connection -> acquire(connection, request));
  }

  private Acquired acquire(Connection connection, Request request) throws SQLException {
    LeaseKey key = request.key();
    Locked locked = lock(connection, key);
    Optional<Entry> mine = locked.ledger.of(request.owner());
    if (mine.isPresent() && mine.get().held()) {
      return grant(connection, request, mine.get().token(), locked.ledger);
    }
    if (!locked.ledger.grants(request.target(), request.owner())) {
      return wait(connection, request, locked, Long.MAX_VALUE);
    }
    if (words.isOfferedToOthers(locked.row, request.holder())) {
      return wait(connection, request, locked, locked.row.left());
    }
    Acquired granted = grant(connection, request, locked.row.nextToken(), locked.ledger);
    Optional<UUID> next = locked.ledger.next(request.owner());
    if (next.isPresent() && !request.target().isExclusive()) {
      // where there is room for one, there may be room for the next
      hearing.released(connection, key, next.get());
    }
    return granted;
  }

  private Acquired grant(Connection connection, Request request, long token, Ledger ledger)
      throws SQLException {
    if (request.key().kind() == LeaseKind.EXCLUSIVE) {
      words.remove(connection, request.key(), request.owner());
      Duration waited = LeaseSql.time(ledger.waited(request.owner()));
      String next = ledger.next(request.owner()).map(QueuedLeases::mark).orElse(null);
      words.hold(connection, request, token, next, waited);
    } else {
      words.holdShared(connection, request, token);
    }
    return new Acquired.Granted(token);
  }

  /**
   * @param offered how many microseconds it is offered to others
   */
  private Acquired wait(Connection connection, Request request, Locked locked, long offered)
      throws SQLException {
    Waiting waiting = request.waiting();
    if (waiting != null) {
      boolean known = locked.ledger.of(request.owner()).isPresent();
      long arrivals = locked.row.arrivals() + (known ? 0 : 1);
      UUID first = locked.ledger.first().orElse(request.owner());
      words.enqueue(connection, request, waiting.mark(), known, arrivals, mark(first));
    }
    return new Acquired.Taken(
        LeaseSql.time(Math.min(offered, locked.ledger.untilChange(request.owner()))));
  }

  /** What is in the row while there is a queue: who is the first in it. */
  private static String mark(UUID first) {
    return "*" + first;
  }

  boolean renewShared(Hold hold, Duration lease) {
    return home.renewal(
        hold.key(), lease, connection -> words.renewShared(connection, hold, lease));
  }

  Freed releaseShared(Hold hold) {
    return home.call(
        "releasing",
        hold.key(),
        Limits.STANDARD,
        connection -> {
          Locked locked = lock(connection, hold.key());
          Optional<Entry> mine = end(connection, hold, locked);
          if (mine.isPresent() && mine.get().held()) {
            words.remember(connection, hold);
            return new Freed.Released();
          }
          return hold.owner().equals(locked.row.owner())
              ? new Freed.Released()
              : new Freed.WasLost();
        });
  }

  /** Gives up a place in the queue of an exclusive lease, if there is one. */
  void leave(Hold hold) {
    boolean queued =
        home.step("leaving the queue of", hold.key(), connection -> words.has(connection, hold));
    if (queued) {
      home.call(
          "leaving the queue of",
          hold.key(),
          Limits.STANDARD,
          connection -> end(connection, hold, lock(connection, hold.key())));
    }
  }

  private Optional<Entry> end(Connection connection, Hold hold, Locked locked) throws SQLException {
    Optional<Entry> mine = locked.ledger.of(hold.owner());
    words.remove(connection, hold.key(), hold.owner());
    Optional<UUID> next = locked.ledger.next(hold.owner());
    if (next.isPresent()) {
      hearing.released(connection, hold.key(), next.get());
    }
    return mine;
  }

  OptionalLong forceReleaseShared(LeaseKey key) {
    return home.call(
        "taking away",
        key,
        Limits.STANDARD,
        connection -> {
          Locked locked = lock(connection, key);
          if (locked.ledger.entries().stream().noneMatch(Entry::held)) {
            return OptionalLong.empty();
          }
          long token = locked.row.nextToken();
          words.removeHolders(connection, key);
          words.raise(connection, key, token);
          hearing.revoked(connection, key);
          return OptionalLong.of(token);
        });
  }

  /** The row of a key, as it was when it was locked. */
  record LockedRow(
      @Nullable UUID owner,
      long token,
      boolean released,
      long left,
      long arrivals,
      long micros,
      @Nullable String told,
      @Nullable String holder) {
    boolean held() {
      return !released && left > 0;
    }

    /** Whether it was released, and somebody may have been told that it is theirs. */
    boolean isOffered() {
      return released && left > 0;
    }

    long nextToken() {
      return Math.max(token + 1, micros);
    }
  }
}
