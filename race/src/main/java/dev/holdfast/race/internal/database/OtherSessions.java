package dev.holdfast.race.internal.database;

import java.sql.Connection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Connections of which nothing is known: they are counted. */
final class OtherSessions implements Sessions {
  private final AtomicLong last = new AtomicLong();
  private final String product;

  OtherSessions(String product) {
    this.product = product;
  }

  @Override
  public long enter(Connection raw) {
    return last.incrementAndGet();
  }

  @Override
  public void leave(Connection raw) {
    // nothing was set
  }

  @Override
  public Map<Long, Set<Long>> waits(Set<Long> sessions) {
    return Map.of();
  }

  @Override
  public String whyNoWaits() {
    return "it is not known how to ask "
        + product
        + " who waits for whom; PostgreSQL, MariaDB, MySQL and H2 can be asked";
  }

  @Override
  public String describe(long session) {
    return "session " + session;
  }
}
