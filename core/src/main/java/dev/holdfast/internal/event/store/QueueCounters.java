package dev.holdfast.internal.event.store;

/**
 * What was done with events of one queue since it was last told. Not thread-safe.
 *
 * <p>Lag is how late events were claimed, in microseconds of the database's clock.
 */
public final class QueueCounters {
  final String queue;
  long completed;
  long failed;
  long cancelled;
  long retried;
  long lagCount;
  long lagTotal;
  long lagMax;

  public QueueCounters(String queue) {
    this.queue = queue;
  }

  public String queue() {
    return queue;
  }

  public void completed() {
    completed++;
  }

  public void failed() {
    failed++;
  }

  public void cancelled() {
    cancelled++;
  }

  public void retried() {
    retried++;
  }

  public void lag(long micros) {
    long late = Math.max(0, micros);
    lagCount++;
    lagTotal += late;
    lagMax = Math.max(lagMax, late);
  }

  /** Adds what was counted elsewhere. */
  public void add(QueueCounters other) {
    completed += other.completed;
    failed += other.failed;
    cancelled += other.cancelled;
    retried += other.retried;
    lagCount += other.lagCount;
    lagTotal += other.lagTotal;
    lagMax = Math.max(lagMax, other.lagMax);
  }
}
