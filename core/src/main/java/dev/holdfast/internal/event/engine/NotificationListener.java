package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.NotificationSupport;
import dev.holdfast.internal.sql.PostgreSqlListener;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hears the signals of other instances, where the database has them. Thread-safe. */
final class NotificationListener implements PostgreSqlListener.Ear {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final HealthIssue LISTENING =
      new HealthIssue("worker-listen-failed", "listening for notifications");

  private final EventBackend home;
  private final Consumer<String> heard;
  private final HealthIssues troubles;
  private final PostgreSqlListener listening;
  private volatile boolean stopped;

  NotificationListener(EventBackend home, Consumer<String> heard, HealthIssues troubles) {
    this.home = home;
    this.heard = heard;
    this.troubles = troubles;
    this.listening = new PostgreSqlListener(home.dataSource(), NotificationSupport.CHANNEL, this);
  }

  /** Whether signals arrive, so that looking can be rare. */
  boolean hears() {
    return listening.hears();
  }

  /** Ends {@link #run()} after its step. */
  void stop() {
    stopped = true;
  }

  /** Lets it notice at once that it is stopped, where signals arrive. May wait for the database. */
  void wake() {
    listening.wake();
  }

  void run() {
    if (home.store().signals().exist()) {
      listening.run();
    }
  }

  @Override
  public boolean wants() {
    return !stopped;
  }

  @Override
  public void heard(String text) {
    heard.accept(text);
  }

  @Override
  public void hears(boolean now) {
    if (now) {
      troubles.over(LISTENING);
      // what was scheduled before this moment was announced to nobody
      heard.accept(NotificationText.LOOK);
    }
  }

  @Override
  public void failed(Throwable why) {
    if (!stopped && troubles.failed(LISTENING, why)) {
      LOG.info(
          "worker-listen-failed: notifications unavailable; polling: {}", HealthIssues.text(why));
    }
  }
}
