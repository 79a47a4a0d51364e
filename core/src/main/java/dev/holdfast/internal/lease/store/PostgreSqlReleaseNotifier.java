package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.sql.PostgreSqlListener;
import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.spi.LeaseStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * {@code NOTIFY} about leases. The text is {@code R} (released) or {@code F} (released by force),
 * the kind, the owner id whose turn it is if that is known, and the name; or {@code O} (released
 * and offered), the kind, the instance that it is offered to, a line feed, and the name.
 */
final class PostgreSqlReleaseNotifier implements ReleaseNotifier {
  static final String CHANNEL = "holdfast_lease";

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
    send(connection, "R" + KindCode.of(key.kind()) + "|" + (next == null ? "" : next) + "|", key);
  }

  @Override
  public void revoked(Connection connection, LeaseKey key) throws SQLException {
    send(connection, "F" + KindCode.of(key.kind()) + "||", key);
  }

  private static void send(Connection connection, String what, LeaseKey key) throws SQLException {
    PostgreSqlListener.send(connection, CHANNEL, what + key.name());
  }

  /** Passes a notification on to the listener; ignores unknown ones. */
  static void dispatch(String text, LeaseStore.Listener listener) {
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
    LeaseKey key = new LeaseKey(KindCode.read(kind), text.substring(name + 1));
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
        ? PostgreSqlSubscription.start(dataSource, listener)
        : ReleaseNotifier.NONE.subscribe(listener);
  }
}
