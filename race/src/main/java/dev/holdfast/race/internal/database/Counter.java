package dev.holdfast.race.internal.database;

import java.sql.SQLException;

/**
 * A sequence, or a column that generates its values.
 *
 * @param last the last value it gave, or about that
 * @param max the largest it can give
 */
record Counter(long last, long max, Restart restart) {

  /** Lets it go on from a number. */
  interface Restart {
    void with(long next) throws SQLException;
  }
}
