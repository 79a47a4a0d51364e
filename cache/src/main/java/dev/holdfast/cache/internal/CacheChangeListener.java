package dev.holdfast.cache.internal;

import dev.holdfast.cache.CacheStore;
import dev.holdfast.internal.sql.PostgreSqlListener;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens for changes with {@code LISTEN}, for all caches of a store. */
final class CacheChangeListener implements PostgreSqlListener.Ear {
  static final String CHANNEL = "holdfast_cache";

  private static final Logger LOG = LoggerFactory.getLogger(CacheStore.class);

  private final Set<CacheStore.Listener> listeners = ConcurrentHashMap.newKeySet();
  private final PostgreSqlListener listening;
  private boolean running;

  CacheChangeListener(DataSource dataSource) {
    this.listening = new PostgreSqlListener(dataSource, CHANNEL, this);
  }

  synchronized CacheStore.Subscription subscribe(CacheStore.Listener listener) {
    listeners.add(listener);
    if (!running) {
      running = true;
      Thread thread = new Thread(this::run, "holdfast-cache-listener");
      thread.setDaemon(true);
      thread.start();
    }
    return new CacheStore.Subscription() {
      @Override
      public boolean hears() {
        return listening.hears();
      }

      @Override
      public void close() {
        listeners.remove(listener);
      }
    };
  }

  private void run() {
    while (!isOver()) {
      listening.run();
    }
  }

  /** Whether nobody came while it ended. */
  private synchronized boolean isOver() {
    if (listeners.isEmpty()) {
      running = false;
    }
    return !running;
  }

  @Override
  public boolean wants() {
    return !listeners.isEmpty();
  }

  @Override
  public void heard(String text) {
    if (text.startsWith("I")) {
      listeners.forEach(listener -> listener.invalidated(text.substring(1)));
    } else if (text.startsWith("C")) {
      listeners.forEach(listener -> listener.changed(text.substring(1)));
    }
  }

  @Override
  public void hears(boolean now) {
    if (now) {
      listeners.forEach(CacheStore.Listener::missed);
    }
  }

  @Override
  public void failed(Throwable why) {
    LOG.debug("notifications of cache changes unavailable; polling", why);
  }
}
