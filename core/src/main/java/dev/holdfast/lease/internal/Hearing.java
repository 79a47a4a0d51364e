package dev.holdfast.lease.internal;

import dev.holdfast.lease.LeaseKey;
import dev.holdfast.lease.LeaseStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How a database tells others of releases, if it can. */
interface Hearing {
  /** Where it cannot: others ask from time to time. */
  Hearing NONE =
      new Hearing() {
        @Override
        public void released(Connection connection, LeaseKey key, @Nullable UUID next) {}

        @Override
        public void revoked(Connection connection, LeaseKey key) {}

        @Override
        public LeaseStore.Subscription subscribe(LeaseStore.Listener listener) {
          return new LeaseStore.Subscription() {
            @Override
            public boolean hears() {
              return false;
            }

            @Override
            public boolean canHear() {
              return false;
            }

            @Override
            public void close() {}
          };
        }
      };

  /** Tells others with the transaction of the connection that it is the turn of the next. */
  void released(Connection connection, LeaseKey key, @Nullable UUID next) throws SQLException;

  /** Tells others with the transaction of the connection that all holders have lost it. */
  void revoked(Connection connection, LeaseKey key) throws SQLException;

  LeaseStore.Subscription subscribe(LeaseStore.Listener listener);
}
