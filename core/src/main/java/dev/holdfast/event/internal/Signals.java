package dev.holdfast.event.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Short messages between instances, beside the tables: only hints, which may be lost. Thread-safe.
 */
public interface Signals {
  /** Where there are none: everything is found by looking. */
  Signals NONE =
      new Signals() {
        @Override
        public boolean exist() {
          return false;
        }

        @Override
        public void send(Connection connection, String text) {}

        @Override
        public void listen(Connection connection) {}

        @Override
        public void unlisten(Connection connection) {}

        @Override
        public List<String> receive(Connection connection, Duration wait) {
          return List.of();
        }
      };

  /** Whether this database has them. */
  boolean exist();

  /** Sends a text when the transaction of the connection commits. */
  void send(Connection connection, String text) throws SQLException;

  /** From now on this connection hears what others send. */
  void listen(Connection connection) throws SQLException;

  /** From now on this connection hears nothing. */
  void unlisten(Connection connection) throws SQLException;

  /** What was heard, after waiting for it for a while. */
  List<String> receive(Connection connection, Duration wait) throws SQLException;
}
