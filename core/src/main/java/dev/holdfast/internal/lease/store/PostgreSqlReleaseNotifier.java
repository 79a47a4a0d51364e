package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.sql.PostgreSqlListener;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code NOTIFY} about leases. The text is {@code R} (released) or {@code F} (released by force),
 * the kind, the owner id whose turn it is if that is known, and the name; or {@code O} (released
 * and offered), the kind, the instance that it is offered to, a line feed, and the name.
 */
final class PostgreSqlReleaseNotifier implements ReleaseNotifier {
  private static final String CHANNEL = "holdfast_lease";

  /** Notifies waiters at the end of the release of an exclusive lease. */
  static final String NOTIFY_RELEASED =
      """
      CASE WHEN told IS NOT NULL THEN pg_notify('holdfast_lease', CASE WHEN told LIKE '*%' \
      THEN 'R0|' || substr(told, 2) || '|' ELSE 'O0|' || told || chr(10) END || ?::text) END\
      """;

  /** Notifies waiters of an exclusive lease that was offered to an instance that left. */
  static final String NOTIFY_WAIT_CANCELLED =
      """
      CASE WHEN released AND waiting IS NOT NULL \
      THEN pg_notify('holdfast_lease', 'R0||' || ?::text) END\
      """;

  /** Notifies at the end of a forced release of an exclusive lease. */
  static final String NOTIFY_FORCED = "pg_notify('holdfast_lease', 'F0||' || ?::text)";

  private final DataSource dataSource;

  PostgreSqlReleaseNotifier(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public void released(Connection connection, LeaseKey key, @Nullable UUID next)
      throws SQLException {
    send(
        connection,
        "R" + LeaseTables.code(key.kind()) + "|" + (next == null ? "" : next) + "|",
        key);
  }

  @Override
  public void revoked(Connection connection, LeaseKey key) throws SQLException {
    send(connection, "F" + LeaseTables.code(key.kind()) + "||", key);
  }

  private static void send(Connection connection, String what, LeaseKey key) throws SQLException {
    PostgreSqlListener.send(connection, CHANNEL, what + key.name());
  }

  /** Passes a notification on to the listener; ignores unknown ones. */
  private static void dispatch(String text, LeaseStore.Listener listener) {
    if (text.startsWith("O0|")) {
      int name = text.indexOf('\n');
      listener.onOffered(LeaseKey.exclusive(text.substring(name + 1)), text.substring(3, name));
      return;
    }
    int owner = text.indexOf('|');
    int name = text.indexOf('|', owner + 1);
    int kind = owner == 2 ? text.charAt(1) - '0' : -1;
    if (kind < 0 || kind > 2 || name < 0) {
      return;
    }
    LeaseKey key = new LeaseKey(LeaseTables.kind(kind), text.substring(name + 1));
    if (text.charAt(0) == 'F') {
      listener.onRevoked(key, null);
    } else {
      String next = text.substring(owner + 1, name);
      listener.onReleased(key, next.isEmpty() ? null : UUID.fromString(next));
    }
  }

  @Override
  public LeaseStore.Subscription subscribe(LeaseStore.Listener listener) {
    // listening takes a connection for as long as a thread waits: a small pool has none to spare
    return PostgreSqlListener.isAffordable(dataSource)
        ? Subscription.start(dataSource, listener)
        : ReleaseNotifier.NONE.subscribe(listener);
  }

  /** {@code LISTEN} for the waiters of leases, until it is closed. */
  private static final class Subscription
      implements LeaseStore.Subscription, PostgreSqlListener.Ear {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseStore.class);

    private final LeaseStore.Listener listener;
    private final PostgreSqlListener listening;
    private volatile boolean closed;

    private Subscription(DataSource dataSource, LeaseStore.Listener listener) {
      this.listener = listener;
      this.listening = new PostgreSqlListener(dataSource, CHANNEL, this);
    }

    static Subscription start(DataSource dataSource, LeaseStore.Listener listener) {
      Subscription started = new Subscription(dataSource, listener);
      Thread thread = new Thread(started.listening::run, "holdfast-lease-listener");
      thread.setDaemon(true);
      thread.start();
      return started;
    }

    @Override
    public boolean isActive() {
      return listening.hears();
    }

    @Override
    public void close() {
      closed = true;
    }

    @Override
    public boolean wants() {
      return !closed;
    }

    @Override
    public void heard(String text) {
      dispatch(text, listener);
    }

    /** Waiters that relied on notifications have to ask again. */
    @Override
    public void hears(boolean now) {
      listener.onResync();
    }

    @Override
    public void failed(Throwable why) {
      LOG.debug("notifications about leases unavailable; polling", why);
    }
  }
}
