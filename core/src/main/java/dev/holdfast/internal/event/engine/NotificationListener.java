package dev.holdfast.internal.event.engine;

import dev.holdfast.event.Worker;
import dev.holdfast.internal.event.store.NotificationSupport;
import dev.holdfast.internal.sql.PostgreSqlListener;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Receives the notifications of other instances, if the database has them. Thread-safe. */
final class NotificationListener implements PostgreSqlListener.Ear {
  private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
  private static final HealthIssue LISTENING =
      new HealthIssue("worker-listen-failed", "listening for notifications");

  private final EventBackend home;
  private final Consumer<String> onNotification;
  private final HealthIssues issues;
  private final PostgreSqlListener listening;
  private volatile boolean stopped;

  NotificationListener(EventBackend home, Consumer<String> onNotification, HealthIssues issues) {
    this.home = home;
    this.onNotification = onNotification;
    this.issues = issues;
    this.listening = new PostgreSqlListener(home.dataSource(), NotificationSupport.CHANNEL, this);
  }

  /** Whether notifications arrive, so that polls can be rare. */
  boolean isListening() {
    return listening.hears();
  }

  /** Ends {@link #run()} after its step. */
  void stop() {
    stopped = true;
  }

  /** Makes it notice at once that it is stopped. May wait for the database. */
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
    onNotification.accept(text);
  }

  @Override
  public void hears(boolean now) {
    if (now) {
      issues.over(LISTENING);
      // what was scheduled before this moment was not received
      onNotification.accept(EventNotifier.CHANGED);
    }
  }

  @Override
  public void failed(Throwable why) {
    if (!stopped && issues.failed(LISTENING, why)) {
      LOG.info(
          "worker-listen-failed: notifications unavailable; polling: {}", HealthIssues.text(why));
    }
  }
}
