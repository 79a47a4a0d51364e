package dev.holdfast.internal.lease.store;

import dev.holdfast.internal.sql.PostgreSqlListener;
import dev.holdfast.lease.spi.LeaseStore;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code LISTEN} for the waiters of leases, until it is closed. */
final class PostgreSqlSubscription implements LeaseStore.Subscription, PostgreSqlListener.Ear {
  private static final Logger LOG = LoggerFactory.getLogger(LeaseStore.class);

  private final LeaseStore.Listener listener;
  private final PostgreSqlListener listening;
  private volatile boolean closed;

  private PostgreSqlSubscription(DataSource dataSource, LeaseStore.Listener listener) {
    this.listener = listener;
    this.listening = new PostgreSqlListener(dataSource, PostgreSqlReleaseNotifier.CHANNEL, this);
  }

  static PostgreSqlSubscription start(DataSource dataSource, LeaseStore.Listener listener) {
    PostgreSqlSubscription started = new PostgreSqlSubscription(dataSource, listener);
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
    PostgreSqlReleaseNotifier.dispatch(text, listener);
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
